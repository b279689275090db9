// Everything that can be done by name or by key: the palette lists it, the keyboard runs it.
import { createSignal } from "solid-js";

export interface Command {
  id: string;
  title: string;
  /** Such as "Mod+P" or "Mod+Shift+F"; Mod is Control, on a Mac Command. */
  keys?: string;
  /** Whether it makes sense now; always without it. */
  when?: () => boolean;
  run: () => void;
}

const [commands, setCommands] = createSignal<readonly Command[]>([]);
export { commands };

const mac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Adds commands; gives what takes them away. */
export function register(...added: Command[]): () => void {
  setCommands((all) => [...all.filter((one) => !added.some((other) => other.id === one.id)), ...added]);
  return () => setCommands((all) => all.filter((one) => !added.includes(one)));
}

/** The keys as a person reads them. */
export function shownKeys(keys: string): string {
  if (!mac) return keys.replace("Mod", "Ctrl");
  return keys.replace("Mod", "⌘").replace("Shift", "⇧").replace("Alt", "⌥").replaceAll("+", "");
}

function pressed(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const mod = mac ? event.metaKey : event.ctrlKey;
  return [mod && "Mod", event.altKey && "Alt", event.shiftKey && "Shift", key].filter(Boolean).join("+");
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const keys = pressed(event);
  // Later ones win, so that what is opened last has its keys.
  const found = commands().findLast((one) => one.keys === keys && (one.when?.() ?? true));
  if (!found) return;
  event.preventDefault();
  found.run();
});
