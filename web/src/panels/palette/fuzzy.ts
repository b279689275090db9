// How well a name fits what was typed: letters in order, better at the beginnings of words and one after the other.

export interface Fit {
  score: number;
  /** Which letters were taken. */
  at: number[];
}

const START = 12;
const NEXT = 8;
const IN_NAME = 4;
/** Longer ones are not looked at to their end. */
const MOST = 300;

/** The fit of `typed` (in lower case, without spaces) in `name`; nothing where it does not fit. */
export function fit(typed: string, name: string, lower = name.toLowerCase()): Fit | undefined {
  if (typed === "") return { score: 0, at: [] };
  const base = lower.lastIndexOf("/") + 1;
  // In the last name alone if it can be, since that is what one knows of a file.
  return along(typed, name, lower, base, base) ?? along(typed, name, lower, 0, base);
}

function along(typed: string, name: string, lower: string, from: number, base: number): Fit | undefined {
  const end = Math.min(lower.length, from + MOST);
  const at: number[] = [];
  let score = from === base ? 20 : 0;
  let next = from;
  for (const letter of typed) {
    const found = best(letter, name, lower, next, end, at.at(-1));
    if (found < 0) return undefined;
    if (starts(name, found)) score += START;
    if (at.at(-1) === found - 1) score += NEXT;
    if (found >= base) score += IN_NAME;
    at.push(found);
    next = found + 1;
  }
  const first = at[0] ?? 0;
  if (first === base) score += START;
  // The whole name, but for its ending.
  if (lower.startsWith(typed, base) && /^(\.|$)/.test(lower.slice(base + typed.length))) score += 2 * START;
  return { score: score - (lower.length - from) / 20 - (first - from) / 10, at };
}

/** The next place of a letter: right behind the one before, at the next beginning of a word nearby, or the first there is. */
function best(letter: string, name: string, lower: string, next: number, end: number, before: number | undefined): number {
  const first = lower.indexOf(letter, next);
  if (first < 0 || first >= end) return -1;
  if (before !== undefined && first === before + 1) return first;
  for (let at = first, tries = 0; at >= 0 && at < end && tries < 4; at = lower.indexOf(letter, at + 1), tries++) {
    if (starts(name, at)) return at;
  }
  return first;
}

function starts(name: string, at: number): boolean {
  if (at === 0) return true;
  const before = name.charCodeAt(at - 1);
  const here = name.charCodeAt(at);
  const letter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  return !letter(before) || (here >= 65 && here <= 90 && before >= 97);
}
