// What this page wrote itself, so that its own changes are not shown as somebody else's.

/** How long after a write its echo may come, in milliseconds. */
const ECHO = 3_000;
const wrote = new Map<string, number>();

/** Remembers that this page changes a path now. */
export function mine(path: string): void {
  wrote.set(path, Date.now());
}

/** Tells whether a change of this path is the echo of our own. */
export function own(path: string): boolean {
  const at = wrote.get(path);
  if (at === undefined) return false;
  if (Date.now() - at < ECHO) return true;
  wrote.delete(path);
  return false;
}
