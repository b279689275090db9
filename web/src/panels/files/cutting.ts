// Moving by keyboard: cut here, put there.
import { createSignal } from "solid-js";
import { nameOf } from "../../state/tabs.ts";
import { move } from "./actions.ts";
import { joined } from "./store.ts";

const [cutPath, setCut] = createSignal<string>();
export { cutPath };

export function cut(path: string | undefined): void {
  setCut(path);
}

/** Moves what was cut into a directory. */
export async function paste(directory: string): Promise<void> {
  const from = cutPath();
  setCut(undefined);
  if (from !== undefined) await move(from, joined(directory, nameOf(from)));
}
