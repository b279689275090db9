// A search that follows what is typed: what is under way is given up, what is found comes page by page.
import { batch, createEffect, createRoot, createSignal, on } from "solid-js";
import { agent } from "../../state/agents.ts";
import { rpc } from "../../state/connection.ts";
import { asRpcError, type RpcError } from "../../rpc/errors.ts";
import type { WorktreeSearchResult } from "../../../../clients/typescript/src/schema.ts";

export type Match = WorktreeSearchResult["matches"][number];
export interface Found {
  path: string;
  matches: Match[];
}

/** The first page is small, so that something is seen at once. */
const FIRST_PAGE = 60;
const PAGE = 500;
/** What one can still look through. */
const MOST = 5_000;
/** How long typing rests before it is searched, in milliseconds. */
const REST = 140;

export const [query, setQuery] = createSignal("");
export const [glob, setGlob] = createSignal("");
export const [caseSensitive, setCaseSensitive] = createSignal(false);
export const [regex, setRegex] = createSignal(false);
export const [hidden, setHidden] = createSignal(false);
export const [ignored, setIgnored] = createSignal(false);

const [found, setFound] = createSignal<readonly Found[]>([]);
const [lines, setLines] = createSignal(0);
const [busy, setBusy] = createSignal(false);
const [wrong, setWrong] = createSignal<RpcError>();
const [searched, setSearched] = createSignal<number>();
const [more, setMore] = createSignal(false);
export { busy, found, lines, more, searched, wrong };

let current: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Searches now, without a rest. */
export function searchNow(): void {
  clearTimeout(timer);
  current?.abort();
  const of = agent();
  if (query() === "" || of === undefined) return clear();
  const mine = (current = new AbortController());
  setBusy(true);
  void pages(of, mine).finally(() => {
    if (current === mine) setBusy(false);
  });
}

async function pages(of: string, mine: AbortController): Promise<void> {
  const asked = {
    agentId: of,
    query: query(),
    caseSensitive: caseSensitive(),
    regex: regex(),
    contextLines: 1,
    includeHidden: hidden(),
    includeIgnored: ignored(),
    ...(glob().trim() === "" ? {} : { glob: glob().trim() }),
  };
  const byPath = new Map<string, Found>();
  let all = 0;
  let cursor: string | undefined;
  try {
    do {
      const limit = all === 0 ? FIRST_PAGE : PAGE;
      const page = await rpc.call("worktree.search", { ...asked, limit, ...(cursor === undefined ? {} : { cursor }) }, { signal: mine.signal });
      for (const match of page.matches) {
        const of = byPath.get(match.path);
        if (of) byPath.set(match.path, { path: match.path, matches: [...of.matches, match] });
        else byPath.set(match.path, { path: match.path, matches: [match] });
      }
      all += page.matches.length;
      cursor = page.nextCursor;
      batch(() => {
        setWrong(undefined);
        setFound([...byPath.values()]);
        setLines(all);
        setSearched(page.filesSearched);
        setMore(cursor !== undefined && all >= MOST);
      });
    } while (cursor !== undefined && all < MOST && !mine.signal.aborted);
  } catch (thrown) {
    const error = asRpcError(thrown);
    if (error.code === "ABORTED") return;
    batch(() => (clear(), setWrong(error)));
  }
}

function clear(): void {
  batch(() => {
    setFound([]);
    setLines(0);
    setSearched(undefined);
    setMore(false);
    setWrong(undefined);
    setBusy(false);
  });
}

createRoot(() => {
  createEffect(on([query, glob, caseSensitive, regex, hidden, ignored], () => {
    clearTimeout(timer);
    timer = setTimeout(searchNow, REST);
  }, { defer: true }));
  createEffect(on(agent, () => searchNow(), { defer: true }));
});

/** A line in parts, those that match marked. A regular expression that could take long here is not tried. */
export function parts(text: string): { text: string; hit: boolean }[] {
  const line = text.slice(0, 400);
  const pattern = expression();
  if (!pattern) return [{ text: line, hit: false }];
  const made: { text: string; hit: boolean }[] = [];
  let from = 0;
  for (const match of line.matchAll(pattern)) {
    if (match[0] === "" || made.length > 40) break;
    if (match.index > from) made.push({ text: line.slice(from, match.index), hit: false });
    made.push({ text: match[0], hit: true });
    from = match.index + match[0].length;
  }
  if (from < line.length) made.push({ text: line.slice(from), hit: false });
  return made;
}

function expression(): RegExp | undefined {
  const flags = caseSensitive() ? "gu" : "giu";
  const text = query();
  if (!regex()) return new RegExp(text.replace(/[.*+?^${}()|[\]\\/-]/g, (sign) => `\\${sign}`), flags);
  const repeats = text.match(/[*+{]/g)?.length ?? 0;
  if (repeats > 2 || /\)[*+?{]|\\[1-9]/.test(text)) return undefined;
  try {
    return new RegExp(text, flags);
  } catch {
    return undefined;
  }
}
