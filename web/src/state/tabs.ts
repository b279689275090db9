// What is open in the middle: files, comparisons, conflicts and pages of panels, as tabs.
import { batch, createMemo, createRoot, createSignal } from "solid-js";
import { createStore, produce } from "solid-js/store";
import { agent } from "./agents.ts";
import { front, narrow, setFront } from "./layout.ts";
import { go } from "./route.ts";

/** What a tab shows. A panel's own page has a kind of its own, `page:` and its id. */
export type Shown =
  | { kind: "file"; path: string }
  | { kind: "diff"; left: Side; right: Side }
  | { kind: `page:${string}`; title: string };

/** One side of a comparison. */
export type Side = { path: string; version?: string } | { title: string; text: string };

export interface Tab {
  /** Its own number, the same as long as it is open. */
  key: number;
  id: string;
  agent: string;
  shown: Shown;
  title: string;
  /** Edited and not saved. */
  dirty: boolean;
  /** Looked at only: the next such file takes its place. */
  preview: boolean;
  /** Where to go in it; a new object goes there again. */
  at?: { line: number; column?: number };
}

let keys = 0;
const [state, setState] = createStore<{ tabs: Tab[]; active: Record<string, string | undefined> }>({ tabs: [], active: {} });

/** The tabs of the workspace that is shown. */
export const tabs = createRoot(() => createMemo(() => state.tabs.filter((tab) => tab.agent === agent())));
/** The one that is looked at; every workspace remembers its own. */
export const active = createRoot(() => createMemo(() => tabs().find((tab) => tab.id === state.active[agent() ?? ""])));
/** All of them, of every workspace. */
export const allTabs = () => state.tabs;

export interface OpenOptions {
  line?: number;
  column?: number;
  /** Leave it when the next file is looked at; true for a mere look. */
  preview?: boolean;
}

/** Opens a file, or goes to it where it is open. */
export function openFile(path: string, { line, column, preview = false }: OpenOptions = {}): void {
  const at = line === undefined ? undefined : column === undefined ? { line } : { line, column };
  open({ kind: "file", path }, nameOf(path), preview, at);
}

/** Compares two files, versions or texts. */
export function openDiff(left: Side, right: Side): void {
  open({ kind: "diff", left, right }, `${sideName(left)} ↔ ${sideName(right)}`, false);
}

/** Opens a page of a panel in the middle. */
export function openPage(id: string, title: string): void {
  open({ kind: `page:${id}`, title }, title, false);
}

function open(shown: Shown, title: string, preview: boolean, at?: Tab["at"]): void {
  const of = agent();
  if (of === undefined) return;
  const id = `${of}\n${JSON.stringify(shown)}`;
  batch(() => {
    setState(produce((state) => {
      const there = state.tabs.find((tab) => tab.id === id);
      if (there) {
        if (!preview) there.preview = false;
        if (at) there.at = at;
      } else {
        const made: Tab = { key: ++keys, id, agent: of, shown, title, dirty: false, preview, ...(at ? { at } : {}) };
        const looked = state.tabs.findIndex((tab) => tab.agent === of && tab.preview && !tab.dirty);
        if (preview && looked >= 0) state.tabs.splice(looked, 1, made);
        else state.tabs.splice(state.tabs.findIndex((tab) => tab.id === state.active[of]) + 1 || state.tabs.length, 0, made);
      }
      state.active[of] = id;
    }));
    if (narrow() && front() !== "editor") setFront("editor");
  });
  address();
  if (!preview) setFocusWanted(id);
}

/** The tab that was just opened to be worked in. */
const [focusWanted, setFocusWanted] = createSignal<string | undefined>(undefined, { equals: false });
export { focusWanted };

/** Shows a tab that is open. */
export function activate(id: string): void {
  setState("active", agent() ?? "", id);
  address();
}

/** Closes a tab and shows its neighbour. */
export function close(id: string): void {
  const at = tabs().findIndex((tab) => tab.id === id);
  const next = tabs()[at + 1] ?? tabs()[at - 1];
  batch(() => {
    setState("tabs", (all) => all.filter((tab) => tab.id !== id));
    if (active()?.id === id || state.active[agent() ?? ""] === id) setState("active", agent() ?? "", next?.id);
  });
  address();
}

/** Changes what is known of a tab. */
export function mark(id: string, change: Partial<Pick<Tab, "dirty" | "preview" | "title">>): void {
  setState("tabs", (tab) => tab.id === id, change);
}

/** Follows a file, or all below a directory, to its new path. */
export function moved(from: string, to: string): void {
  setState("tabs", (tab) => tab.agent === agent() && tab.shown.kind === "file" && isOrBelow(tab.shown.path, from), produce((tab) => {
    if (tab.shown.kind !== "file") return;
    const path = to + tab.shown.path.slice(from.length);
    const wasActive = state.active[tab.agent] === tab.id;
    tab.shown = { kind: "file", path };
    tab.id = `${tab.agent}\n${JSON.stringify(tab.shown)}`;
    tab.title = nameOf(path);
    if (wasActive) setState("active", tab.agent, tab.id);
  }));
  address();
}

function isOrBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

/** The address says which file is looked at. */
function address(): void {
  const of = agent();
  if (of === undefined) return;
  const shown = active()?.shown;
  go(shown?.kind === "file" ? { agent: of, path: shown.path } : { agent: of });
}

/** The name of a file or folder. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || "/";
}

function sideName(side: Side): string {
  return "path" in side ? nameOf(side.path) + (side.version ? " (before)" : "") : side.title;
}
