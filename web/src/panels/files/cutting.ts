// Moving by keyboard: cut here, put there.
import { createSignal } from "solid-js";
import { moveInto } from "./actions.ts";
import type { Node } from "./tree.ts";

const [cutPaths, setCut] = createSignal<ReadonlySet<string>>(new Set());

export function isCut(path: string): boolean {
  return cutPaths().has(path);
}

/** Whether something waits to be put somewhere. */
export function anyCut(): boolean {
  return cutPaths().size > 0;
}

export function cut(nodes: readonly Node[]): void {
  setCut(new Set(nodes.map((node) => node.path)));
}

/** Moves what was cut into a directory. */
export async function paste(directory: string): Promise<void> {
  const paths = [...cutPaths()];
  setCut(new Set<string>());
  await moveInto(paths, directory);
}
