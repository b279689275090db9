// Questions of agents that wait for an operator; they are heard from the beginning, and drawn when there is one.
import { lazy, onCleanup, Show, Suspense } from "solid-js";
import { register } from "../../state/commands.ts";
import type { Overlay } from "../registry.ts";
import { answer, pending } from "./pending.ts";

const Asked = lazy(() => import("./Asked.tsx"));

const overlay: Overlay = {
  id: "approvals",
  component: () => {
    const first = () => pending()[0];
    const when = () => first() !== undefined;
    onCleanup(register(
      { id: "approvals.allow", title: "Allow what is asked", keys: "Mod+Alt+Y", when, run: () => first() && void answer(first()!, "allow") },
      { id: "approvals.deny", title: "Deny what is asked", keys: "Mod+Alt+N", when, run: () => first() && void answer(first()!, "deny") },
      { id: "approvals.look", title: "Go to what is asked", keys: "Mod+Alt+A", when, run: () => document.getElementById("asked")?.focus() },
    ));
    return <Show when={when()}><Suspense><Asked /></Suspense></Show>;
  },
};
export default overlay;
