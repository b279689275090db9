// What is shown: the way in, a word to those who may not look, or the workspace.
import { lazy, Match, Show, Suspense, Switch } from "solid-js";
import { role, session } from "../state/session.ts";
import { Questions } from "../ui/ask.tsx";
import { Toasts } from "../ui/Toasts.tsx";
import { NotYours } from "./NotYours.tsx";
import { Over, SignIn } from "./SignIn.tsx";

const Shell = lazy(() => import("./Shell.tsx"));

export function App() {
  return (
    <>
      <Switch>
        <Match when={session().is === "looking"}>
          <Looking />
        </Match>
        <Match when={session().is === "out"}><SignIn /></Match>
        <Match when={role() === "user"}><NotYours /></Match>
        <Match when={role()}><Suspense fallback={<Looking />}><Shell /></Suspense></Match>
      </Switch>
      <Show when={session().is === "over"}><Over /></Show>
      <Questions />
      <Toasts />
    </>
  );
}

function Looking() {
  return <main class="looking" aria-busy="true"><span class="sr">Looking who you are…</span></main>;
}
