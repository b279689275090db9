// What an operator sets up: workspaces and tokens. Its commands are known from the beginning, the rest comes with its first use.
import { createSignal, lazy, createEffect, onCleanup, Show, Suspense } from "solid-js";
import { may } from "../../state/connection.ts";
import { register } from "../../state/commands.ts";
import type { Overlay } from "../registry.ts";

export type Begins = "list" | "new" | "this" | "tokens";

const View = lazy(() => import("./View.tsx"));
const [open, setOpen] = createSignal<Begins>();

const overlay: Overlay = {
  id: "workspaces",
  component: () => {
    createEffect(() => {
      if (!may("agents.update")) return;
      onCleanup(register(
        { id: "workspaces.manage", title: "Manage workspaces…", run: () => setOpen("list") },
        { id: "workspaces.new", title: "New workspace…", run: () => setOpen("new") },
        { id: "workspaces.this", title: "Configure this workspace…", run: () => setOpen("this") },
        { id: "tokens.manage", title: "Manage tokens…", run: () => setOpen("tokens") },
      ));
    });
    return <Show when={open()} keyed>{(begins) => <Suspense><View begins={begins} close={() => setOpen(undefined)} /></Suspense>}</Show>;
  },
};
export default overlay;
