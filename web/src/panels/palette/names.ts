// The names of all files of a workspace for quick open: listed once, newest first, then kept right by a watch.
import { createEffect, createRoot, createSignal, on } from "solid-js";
import { agent } from "../../state/agents.ts";
import { may, onConnected, rpc } from "../../state/connection.ts";
import { failed } from "../../state/toasts.ts";

/** The most names that are kept; a larger workspace is found by its newest. */
const MOST = 50_000;
const PAGE = 10_000;

export interface Name {
  path: string;
  lower: string;
}

const [names, setNames] = createSignal<readonly Name[]>([]);
const [listing, setListing] = createSignal(false);
const [cut, setCut] = createSignal(false);
export { cut, listing, names };

let listed: string | undefined;
let watched: string | undefined;
let work: AbortController | undefined;

/** Lists the names if that is not done. */
export async function learn(): Promise<void> {
  const of = agent();
  if (of === undefined || listed === of) return;
  listed = of;
  work?.abort();
  const mine = (work = new AbortController());
  setListing(true);
  const found: Name[] = [];
  try {
    let offset = 0;
    for (;;) {
      const page = await rpc.call("glob", { agentId: of, pattern: "**/*", limit: PAGE, offset }, { signal: mine.signal });
      for (const file of page.files) if (file.kind !== "dir") found.push(named(file.path));
      // What is there already can be searched.
      setNames([...found]);
      if (page.next_offset === undefined || found.length >= MOST) {
        setCut(page.next_offset !== undefined);
        break;
      }
      offset = page.next_offset;
    }
    await watch(of);
  } catch (thrown) {
    if (listed === of) listed = undefined;
    failed("The files could not be listed")(thrown);
  } finally {
    if (work === mine) setListing(false);
  }
}

function named(path: string): Name {
  const short = path.replace(/^\/+/, "");
  return { path: short, lower: short.toLowerCase() };
}

async function watch(of: string): Promise<void> {
  if (!may("worktree.watch")) return;
  watched = undefined;
  const opened = await rpc.call("worktree.watch", { agentId: of, recursive: true }).catch(() => undefined);
  if (opened && listed === of) watched = opened.watchId;
}

rpc.on("worktree.changed", ({ watchId, path, changeType }) => {
  if (watchId !== watched) return;
  const name = named(path);
  const there = names().some((one) => one.path === name.path);
  if (changeType === "deleted") setNames(names().filter((one) => one.path !== name.path && !one.path.startsWith(`${name.path}/`)));
  else if (!there && changeType === "created") void learnOne(name);
});

/** A new name, if it is a file's. */
async function learnOne(name: Name): Promise<void> {
  const of = listed;
  if (of === undefined) return;
  const found = await rpc.call("worktree.stat", { agentId: of, path: name.path }).catch(() => undefined);
  if (found?.kind === "file" && listed === of) setNames([name, ...names().filter((one) => one.path !== name.path)].slice(0, MOST));
}

const forget = () => {
  listed = undefined;
  watched = undefined;
};
rpc.on("worktree.resync", ({ watchId }) => watchId === watched && forget());
onConnected(forget);
createRoot(() => createEffect(on(agent, () => {
  // Watches are counted; one of a connection that is gone went with it.
  if (watched !== undefined) void rpc.call("worktree.unwatch", { watchId: watched }).catch(() => undefined);
  forget();
  setNames([]);
}, { defer: true })));
