// What is shown: the way in, a word to those who may not look, or the workspace.
import { Match, Show, Switch } from "solid-js";
import { role, session } from "../state/session.ts";
import { Questions } from "../ui/ask.tsx";
import { Toasts } from "../ui/Toasts.tsx";
import { NotYours } from "./NotYours.tsx";
import { Shell } from "./Shell.tsx";
import { Over, SignIn } from "./SignIn.tsx";

export function App() {
  return (
    <>
      <Switch>
        <Match when={session().is === "looking"}>
          <main class="looking" aria-busy="true"><span class="sr">Looking who you are…</span></main>
        </Match>
        <Match when={session().is === "out"}><SignIn /></Match>
        <Match when={role() === "user"}><NotYours /></Match>
        <Match when={role()}><Shell /></Match>
      </Switch>
      <Show when={session().is === "over"}><Over /></Show>
      <Questions />
      <Toasts />
    </>
  );
}
