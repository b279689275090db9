// What is chosen in the tree: the entry that the keyboard is at, and as many others as were chosen with it.
//
// The several are bound to the entry they were chosen at. Whatever else leads to another one, such as a tab that comes
// to the front, leaves that one alone chosen.
import { batch, createMemo, createRoot, createSignal } from "solid-js";
import { count } from "../../ui/format.ts";
import { selected, setSelected, tree } from "./store.ts";
import type { Node } from "./tree.ts";

const [several, setSeveral] = createSignal<{ at: string; paths: ReadonlySet<string> }>();
/** Where a range begins. */
let anchor: string | undefined;

function now(): ReadonlySet<string> {
  const at = selected();
  const many = several();
  return many !== undefined && many.at === at ? many.paths : new Set(at === undefined ? [] : [at]);
}

function choose(at: string, paths: ReadonlySet<string>): void {
  batch(() => {
    setSelected(at);
    setSeveral({ at, paths });
  });
}

export function isChosen(path: string): boolean {
  const many = several();
  return many !== undefined && many.at === selected() ? many.paths.has(path) : selected() === path;
}

/** Chooses this one alone. */
export function pick(path: string): void {
  anchor = path;
  batch(() => {
    setSelected(path);
    setSeveral(undefined);
  });
}

/** Goes there and leaves what is chosen. */
export function walkTo(path: string): void {
  choose(path, now());
}

/** Chooses this one too, or no longer. */
export function flip(path: string): void {
  const paths = new Set(now());
  if (!paths.delete(path)) paths.add(path);
  anchor = path;
  choose(path, paths);
}

/** Chooses everything visible from where the range began to this one. */
export function extendTo(path: string): void {
  const rows = tree().rows;
  const at = selected();
  const began = several()?.at === at && anchor !== undefined && tree().find(anchor) ? anchor : (at ?? path);
  anchor = began;
  const ends = [rows.findIndex((node) => node.path === began), rows.findIndex((node) => node.path === path)];
  if (ends[0]! < 0) return pick(path);
  choose(path, new Set(rows.slice(Math.min(...ends), Math.max(...ends) + 1).map((node) => node.path)));
}

/** Chooses everything in the folder that an entry is in. */
export function pickFolder(node: Node): void {
  choose(node.path, new Set(node.parent?.children?.map((one) => one.path)));
}

/** Leaves the one that the keyboard is at. */
export function pickOne(): void {
  setSeveral(undefined);
}

/** What is chosen and can be seen, from top to bottom; what lies in a chosen folder goes with it and is not named. */
export const picked = createRoot(() => createMemo((): Node[] => {
  const many = several();
  const at = selected();
  if (many === undefined || many.at !== at) {
    const one = at === undefined ? undefined : tree().find(at);
    return one && one.parent ? [one] : [];
  }
  return tree().rows.filter((node) => many.paths.has(node.path) && !within(node, many.paths));
}));

function within(node: Node, paths: ReadonlySet<string>): boolean {
  for (let above = node.parent; above; above = above.parent) if (paths.has(above.path)) return true;
  return false;
}

/** Finds what comes after entries, or before them; what this gives chooses it, once they are gone. */
export function pickNear(nodes: readonly Node[]): () => void {
  const gone = new Set(nodes.map((node) => node.path));
  const rows = tree().rows;
  const at = rows.findIndex((node) => node.path === selected());
  const stays = (node: Node) => !gone.has(node.path) && !within(node, gone);
  const next = rows.slice(at + 1).find(stays) ?? rows.slice(0, Math.max(0, at)).findLast(stays);
  return () => {
    if (next && !tree().find(selected() ?? "/")) pick(next.path);
  };
}

/** How many, in words. */
export function entries(many: number): string {
  return many === 1 ? "1 entry" : `${count(many)} entries`;
}
