// The middle: a row of tabs, and what the one in front shows.
import { For, lazy, Match, Show, Suspense, Switch } from "solid-js";
import { Dynamic } from "solid-js/web";
import { pageOf } from "../panels/registry.ts";
import { shownKeys } from "../state/commands.ts";
import { activate, active, mark, tabs, type Tab } from "../state/tabs.ts";
import { closeTab } from "../state/closing.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";

const FileView = lazy(() => import("../editor/FileView.tsx"));
const DiffView = lazy(() => import("../editor/DiffView.tsx"));

export function Center() {
  return (
    <main class="center" id="center" tabIndex={-1}>
      <TabRow />
      <div class="center-body" role={active() ? "tabpanel" : undefined} aria-label={active()?.title}>
        <Show when={active()} fallback={<Welcome />}>
          {/* Each tab keeps its own view, so that going back to it finds it as it was left. */}
          <For each={tabs()}>
            {(tab) => (
              <div class="view" hidden={active()?.id !== tab.id}>
                <Suspense fallback={<div class="loading" aria-busy="true" />}>
                  <View tab={tab} />
                </Suspense>
              </div>
            )}
          </For>
        </Show>
      </div>
    </main>
  );
}

function View(props: { tab: Tab }) {
  const page = () => (props.tab.shown.kind.startsWith("page:") ? pageOf(props.tab.shown.kind.slice(5)) : undefined);
  return (
    <Switch>
      <Match when={props.tab.shown.kind === "file"}><FileView tab={props.tab} /></Match>
      <Match when={props.tab.shown.kind === "diff"}><DiffView tab={props.tab} /></Match>
      <Match when={page()}><Dynamic component={page()} /></Match>
    </Switch>
  );
}

function icon(tab: Tab): IconName {
  return tab.shown.kind === "file" ? "file" : tab.shown.kind === "diff" ? "diff" : "info";
}

function TabRow() {
  const keys = (event: KeyboardEvent) => {
    const all = tabs();
    const at = all.findIndex((tab) => tab.id === active()?.id);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Delete" && active()) return void closeTab(active()!.id);
    if (to === undefined) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length];
    if (!next) return;
    activate(next.id);
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]")[all.indexOf(next)]?.focus();
  };
  return (
    <Show when={tabs().length > 0}>
      <div class="tabs" role="tablist" aria-label="Open files" onKeyDown={keys}>
        <For each={tabs()}>
          {(tab) => (
            <div class="tab" classList={{ active: tab.id === active()?.id, preview: tab.preview, dirty: tab.dirty }} role="presentation">
              <button
                type="button"
                role="tab"
                aria-selected={tab.id === active()?.id}
                aria-keyshortcuts="Delete"
                tabIndex={tab.id === active()?.id ? 0 : -1}
                title={tab.shown.kind === "file" ? tab.shown.path : tab.title}
                onClick={() => activate(tab.id)}
                onDblClick={() => mark(tab.id, { preview: false })}
                onAuxClick={(event) => event.button === 1 && void closeTab(tab.id)}
              >
                <Icon name={icon(tab)} />
                <bdi>{tab.title}</bdi>
                <Show when={tab.dirty}><span class="sr"> (not saved)</span></Show>
              </button>
              {/* For the mouse; the keyboard has Delete, which the tab says. */}
              <span class="tab-close" aria-hidden="true" title={`Close ${tab.title}`} onClick={() => void closeTab(tab.id)}>
                <span class="dot" />
                <Icon name="cross" />
              </span>
            </div>
          )}
        </For>
      </div>
    </Show>
  );
}

function Welcome() {
  const rows: [string, string][] = [
    ["Go to a file", "Mod+P"],
    ["All commands", "Mod+Shift+P"],
    ["Search in files", "Mod+Shift+F"],
    ["Terminal", "Mod+J"],
  ];
  return (
    <div class="welcome">
      <h1 class="sr">Workspace</h1>
      <p>Choose a file to look at.</p>
      <dl>
        <For each={rows}>{([what, keys]) => <div><dt>{what}</dt><dd><kbd>{shownKeys(keys)}</kbd></dd></div>}</For>
      </dl>
    </div>
  );
}
