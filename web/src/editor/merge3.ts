// Two texts that began as one, brought together line by line: what only one side changed is taken, the rest is asked.
import { diff } from "@codemirror/merge";

export interface Region {
  /** Who changed it: nobody, one side, both to the same, or both differently. */
  kind: "same" | "mine" | "theirs" | "both" | "conflict";
  base: string[];
  mine: string[];
  theirs: string[];
}

/** The most different lines that are compared; more are one conflict. */
const MOST_LINES = 50_000;

/** The regions of a merge, from top to bottom. */
export function merge3(base: string, mine: string, theirs: string): Region[] {
  const [b, m, t] = [lines(base), lines(mine), lines(theirs)];
  const letters = new Map<string, string>();
  const spelled = [b, m, t].map((all) => all.map((line) => letter(letters, line)).join(""));
  if (letters.size > MOST_LINES) return [{ kind: "conflict", base: b, mine: m, theirs: t }];
  const toMine = changes(spelled[0]!, spelled[1]!);
  const toTheirs = changes(spelled[0]!, spelled[2]!);
  const regions: Region[] = [];
  let at = { b: 0, m: 0, t: 0 };
  while (toMine.length > 0 || toTheirs.length > 0) {
    const start = Math.min(toMine[0]?.fromA ?? Infinity, toTheirs[0]?.fromA ?? Infinity);
    if (start > at.b) {
      const length = start - at.b;
      regions.push(region("same", b.slice(at.b, start), m.slice(at.m, at.m + length), t.slice(at.t, at.t + length)));
      at = { b: start, m: at.m + length, t: at.t + length };
    }
    // Grows until no change of either side reaches into it.
    let end = start;
    const [ofMine, ofTheirs]: [Change[], Change[]] = [[], []];
    for (let grew = true; grew; ) {
      grew = false;
      for (const [from, taken] of [[toMine, ofMine], [toTheirs, ofTheirs]] as const) {
        while (from[0] && (from[0].fromA < end || (from[0].fromA === end && from[0].fromA === start) || from[0].fromA === start)) {
          const change = from.shift()!;
          taken.push(change);
          end = Math.max(end, change.toA);
          grew = true;
        }
      }
    }
    const length = end - at.b;
    const grown = (taken: Change[]) => length + taken.reduce((sum, one) => sum + (one.toB - one.fromB) - (one.toA - one.fromA), 0);
    const next = { b: end, m: at.m + grown(ofMine), t: at.t + grown(ofTheirs) };
    const sides = [b.slice(at.b, next.b), m.slice(at.m, next.m), t.slice(at.t, next.t)] as const;
    const same = sides[1].join("") === sides[2].join("");
    const kind = same ? "both" : ofTheirs.length === 0 ? "mine" : ofMine.length === 0 ? "theirs" : "conflict";
    regions.push(region(kind, ...sides));
    at = next;
  }
  if (at.b < b.length) regions.push(region("same", b.slice(at.b), m.slice(at.m), t.slice(at.t)));
  return regions;
}

export type Choice = "mine" | "theirs" | "mine+theirs" | "theirs+mine" | "base";

/** The text that comes of choices, by the place of their region. */
export function merged(regions: Region[], choices: Record<number, Choice | undefined>): string {
  return regions.map((region, at) => chosen(region, choices[at]).join("")).join("");
}

/** What is taken without being asked. */
export function usual(region: Region): Choice {
  return region.kind === "theirs" ? "theirs" : "mine";
}

function chosen(region: Region, choice: Choice = usual(region)): string[] {
  const ended = (all: string[]) => all.map((line, at) => (at === all.length - 1 && !line.endsWith("\n") ? `${line}\n` : line));
  switch (choice) {
    case "mine": return region.mine;
    case "theirs": return region.theirs;
    case "base": return region.base;
    case "mine+theirs": return [...ended(region.mine), ...region.theirs];
    case "theirs+mine": return [...ended(region.theirs), ...region.mine];
  }
}

type Change = { fromA: number; toA: number; fromB: number; toB: number };

function changes(a: string, b: string): Change[] {
  return diff(a, b).map(({ fromA, toA, fromB, toB }) => ({ fromA, toA, fromB, toB }));
}

function region(kind: Region["kind"], base: string[], mine: string[], theirs: string[]): Region {
  return { kind, base, mine, theirs };
}

/** Lines with their ends. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** One letter for each different line, so that lines are compared as letters are. */
function letter(letters: Map<string, string>, line: string): string {
  let found = letters.get(line);
  if (found === undefined) {
    const number = 0x100 + letters.size;
    // Halves of pairs are no letters by themselves.
    found = String.fromCharCode(number < 0xd800 ? number : number + 0x800);
    letters.set(line, found);
  }
  return found;
}
