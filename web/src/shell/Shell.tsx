// The frame around everything: a bar above, docks at three sides, the tabs in the middle, a line below.
import { createEffect, For, onCleanup, onMount, Show, Suspense, untrack } from "solid-js";
import { Dynamic } from "solid-js/web";
import { agent, known } from "../state/agents.ts";
import { commands, register, type Command } from "../state/commands.ts";
import { docks, front, narrow, toggle } from "../state/layout.ts";
import { overlays, panels } from "../panels/registry.ts";
import { route } from "../state/route.ts";
import { signOut } from "../state/session.ts";
import { active, openFile } from "../state/tabs.ts";
import { Button } from "../ui/Button.tsx";
import { Center } from "./Center.tsx";
import { Dock } from "./Dock.tsx";
import { NarrowNav } from "./NarrowNav.tsx";
import { StatusBar } from "./StatusBar.tsx";
import { TopBar } from "./TopBar.tsx";

/** When menus and dialogs are fetched unasked, in milliseconds: by then the page is there. */
const LATER = 2_000;

export default function Shell() {
  // So that the first one opens at once, and also while the gateway is away.
  onMount(() => {
    const later = setTimeout(() => void Promise.allSettled([import("../ui/FullMenu.tsx"), import("../ui/PointMenu.tsx"), import("../ui/OpenDialog.tsx")]), LATER);
    onCleanup(() => clearTimeout(later));
  });
  createEffect(() => {
    const shows = panels().map<Command>((panel) => ({
      id: `panel.${panel.id}`,
      title: `Show ${panel.title.toLowerCase()}`,
      ...(panel.keys ? { keys: panel.keys } : {}),
      run: () => toggle(panel.place, panel.id),
    }));
    const own: Command[] = [
      { id: "dock.left", title: "Show or hide the left side", keys: "Mod+B", run: () => toggle("left") },
      { id: "dock.bottom", title: "Show or hide the bottom", keys: "Mod+J", run: () => toggle("bottom") },
      { id: "dock.right", title: "Show or hide the right side", keys: "Mod+Alt+B", run: () => toggle("right") },
      { id: "session.out", title: "Sign out", run: () => void signOut() },
    ];
    onCleanup(register(...own, ...shows));
  });
  // An address that names a file opens it: a link, a reload, a step back.
  createEffect(() => {
    const { agent: of, path, line } = route();
    if (of === undefined || path === undefined) return;
    const there = untrack(() => active()?.shown);
    if (there?.kind === "file" && there.path === path && line === undefined) return;
    untrack(() => openFile(path, line === undefined ? { preview: true } : { line, preview: true }));
  });
  return (
    <div
      class="shell"
      classList={{ narrow: narrow() }}
      style={{ "--left": `${docks.left.size}px`, "--right": `${docks.right.size}px`, "--bottom": `${docks.bottom.size}px` }}
    >
      <a class="skip" href="#center" onClick={(event) => (event.preventDefault(), document.getElementById("center")?.focus())}>Skip to the file</a>
      <TopBar />
      <Show when={agent()} fallback={<Nothing />} keyed>
        <div class="body">
          <Show when={narrow()} fallback={<Wide />}>
            <Show when={front() === "editor"} fallback={<Dock place="any" panel={front()} />}>
              <Center />
            </Show>
          </Show>
        </div>
      </Show>
      <Show when={narrow()} fallback={<StatusBar />}>
        <NarrowNav />
      </Show>
      <For each={overlays}>{(overlay) => <Suspense><Dynamic component={overlay.component} /></Suspense>}</For>
    </div>
  );
}

function Wide() {
  return (
    <>
      <Show when={docks.left.open}><Dock place="left" /></Show>
      <div class="middle">
        <Center />
        <Show when={docks.bottom.open}><Dock place="bottom" /></Show>
      </div>
      <Show when={docks.right.open}><Dock place="right" /></Show>
    </>
  );
}

function Nothing() {
  return (
    <main class="body" aria-busy={!known()}>
      <Show when={known()}>
        <div class="empty">
          <h2>There is no workspace yet</h2>
          <p>Make one here or with <code>garth agent create coder</code>.</p>
          <Show when={commands().find((one) => one.id === "workspaces.new")} keyed>
            {(make) => <Button look="primary" icon="plus" onClick={() => make.run()}>New workspace</Button>}
          </Show>
        </div>
      </Show>
    </main>
  );
}
