// The tree of the workspace that is shown: listed as it is opened, kept true by what the gateway tells.
import { createComputed, createRoot, createSignal, on, onCleanup } from "solid-js";
import type { Entry as Listed } from "./listing.ts";
import { listing } from "./listing.ts";
import { asRpcError, type RpcError } from "../../rpc/errors.ts";
import { agent } from "../../state/agents.ts";
import { link, rpc } from "../../state/connection.ts";
import { own } from "../../state/own.ts";
import { failed } from "../../state/toasts.ts";
import { joined, parentOf, Tree, type Node } from "./tree.ts";

/** How long changes are gathered before directories are listed again, in milliseconds. */
const GATHER = 250;
/** A directory of more entries is asked about the one that changed, not listed whole. */
const LARGE = 2_000;
/** How long a change is shown as fresh, in milliseconds. */
export const FRESH = 60_000;

/** One tree a workspace, so that going back finds it as it was left. */
const trees = new Map<string, Tree>();
const [version, setVersion] = createSignal(0);
const [selected, setSelected] = createSignal<string>();
const [trouble, setTrouble] = createSignal<RpcError>();
const [busy, setBusy] = createSignal<ReadonlySet<string>>(new Set());
/** What is shown: dotfiles, and what ignore files name. */
const [hidden, setHidden] = createSignal(kept("garth.files.hidden", false));
const [ignored, setIgnored] = createSignal(kept("garth.files.ignored", true));
/** When something was last changed, and not by this page. */
const fresh = new Map<string, number>();

export { busy, fresh, hidden, ignored, selected, setSelected, trouble, version };

/** The tree of the workspace that is shown. */
export function tree(): Tree {
  version();
  const id = agent() ?? "";
  let found = trees.get(id);
  if (!found) trees.set(id, (found = new Tree()));
  return found;
}

/** Shows that the tree has changed. */
export function touched(): void {
  setVersion((number) => number + 1);
}

export function showHidden(show: boolean): void {
  localStorage.setItem("garth.files.hidden", String(show));
  setHidden(show);
}

export function showIgnored(show: boolean): void {
  localStorage.setItem("garth.files.ignored", String(show));
  setIgnored(show);
}

/** Opens or closes a directory, and lists it when that was not done before. */
export function expand(node: Node, open: boolean): void {
  tree().open(node, open);
  touched();
  if (open && !node.children) void list(node.path);
}

/** Opens everything above a path and selects it. */
export async function reveal(path: string): Promise<void> {
  const parts = path.split("/");
  for (let end = 1; end < parts.length; end += 1) {
    const node = tree().find(parts.slice(0, end).join("/"));
    if (!node) return;
    if (!node.children) await list(node.path);
    if (!node.open) tree().open(node, true);
  }
  touched();
  if (tree().find(path)) setSelected(path);
}

/** Lists a directory, page after page; what is there is shown as it comes. */
export async function list(path: string): Promise<void> {
  const id = agent();
  const of = tree();
  const node = of.find(path);
  if (id === undefined || !node || busy().has(path)) return;
  setBusy((all) => new Set(all).add(path));
  try {
    let how: "first" | "more" = "first";
    for await (const page of listing({ agent: id, path, hidden: hidden(), ignored: ignored() })) {
      of.fill(node, page.entries.filter((entry) => !removed.has(entry.path)) as Listed[], how, page.more);
      how = "more";
      touched();
    }
    if (path === "/") setTrouble(undefined);
  } catch (thrown) {
    const error = asRpcError(thrown);
    if (path === "/") setTrouble(error);
    else if (error.code !== "FILE_NOT_FOUND") failed(`${path} could not be listed`)(error);
  } finally {
    setBusy((all) => new Set([...all].filter((one) => one !== path)));
  }
}

/** Lists everything again that is open. */
export async function refresh(): Promise<void> {
  await list("/");
  for (const path of tree().opened()) await list(path);
}

/** What is about to be deleted is already out of sight. */
const removed = new Set<string>();
export function hide(paths: readonly string[]): void {
  for (const path of paths) removed.add(path);
  tree().remove(paths);
  touched();
}
export function unhide(paths: readonly string[]): void {
  for (const path of paths) removed.delete(path);
  for (const parent of new Set(paths.map(parentOf))) void list(parent);
}

/** Changes that were told and not looked at yet, by the directory they are in. */
let told = new Map<string, Set<string>>();
let timer: ReturnType<typeof setTimeout> | undefined;

function changed(path: string, how: "created" | "modified" | "deleted"): void {
  if (how === "deleted") {
    tree().remove([path]);
    fresh.delete(path);
    touched();
    return;
  }
  if (!own(path)) fresh.set(path, Date.now());
  const parent = parentOf(path);
  const names = told.get(parent) ?? new Set();
  told.set(parent, names.add(path));
  timer ??= setTimeout(() => void look().catch(failed("Changes could not be looked at")), GATHER);
}

async function look(): Promise<void> {
  timer = undefined;
  const id = agent();
  const now = told;
  told = new Map();
  for (const [directory, paths] of now) {
    const node = tree().find(directory);
    if (id === undefined || !node?.children) continue;
    if (node.children.length <= LARGE) {
      await list(directory);
      continue;
    }
    for (const path of [...paths].slice(0, 20)) {
      const entry = await rpc.call("worktree.stat", { agentId: id, path }).catch(() => undefined);
      if (entry) tree().put({ ...entry, size: entry.sizeBytes, modified: entry.modifiedAt });
    }
    touched();
  }
}

/** Lists and watches what is shown, again after every break and every switch; it asks before anything is drawn. */
createRoot(() => {
  const open = () => (link().is === "open" ? link() : undefined);
  createComputed(
    on([agent, open, hidden, ignored], ([id, connection]) => {
      if (id === undefined || connection === undefined) return;
      setTrouble(undefined);
      void refresh();
      let watch: string | undefined;
      let over = false;
      const wanted = { agentId: id, path: "/", recursive: true, includeHidden: hidden(), includeIgnored: ignored() };
      const watching = rpc.call("worktree.watch", wanted);
      watching.then(
        ({ watchId }) => {
          watch = watchId;
          if (over) void rpc.call("worktree.unwatch", { watchId }).catch(() => undefined);
        },
        // Without a watch the tree is still right when it is listed.
        () => undefined,
      );
      const mine = (event: { watchId: string }) => event.watchId === watch;
      const ends = [
        rpc.on("worktree.changed", (event) => mine(event) && changed(event.path, event.changeType)),
        rpc.on("worktree.resync", (event) => mine(event) && void refresh()),
      ];
      onCleanup(() => {
        over = true;
        ends.forEach((end) => end());
        if (watch !== undefined && rpc.link.is === "open") void rpc.call("worktree.unwatch", { watchId: watch }).catch(() => undefined);
      });
    }),
  );
});

function kept(key: string, otherwise: boolean): boolean {
  const found = localStorage.getItem(key);
  return found === null ? otherwise : found === "true";
}

export { joined, parentOf };
