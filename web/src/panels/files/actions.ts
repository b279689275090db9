// What can be done to files: make, rename, move, delete with a while to think better of it.
import { agent, current } from "../../state/agents.ts";
import { may, rpc } from "../../state/connection.ts";
import { mine } from "../../state/own.ts";
import { close, moved, nameOf, openFile, tabs } from "../../state/tabs.ts";
import { dismiss, failed, toast, update } from "../../state/toasts.ts";
import { askText } from "../../ui/ask.tsx";
import { entries } from "./selection.ts";
import { hide, joined, list, parentOf, reveal, unhide } from "./store.ts";
import type { Node } from "./tree.ts";

/** How long a deletion can be taken back, in milliseconds. */
const SECOND_THOUGHTS = 7_000;

/** Tells whether anything may be changed here. */
export function writable(): boolean {
  return may("worktree.write") && current()?.settings.readOnly !== true;
}

/** What is wrong with a name, if anything. */
export function wrongName(name: string): string | undefined {
  if (name.trim() === "") return "A name is needed.";
  if (name.split("/").some((part) => part === "." || part === "..")) return "A path goes down only.";
  if (name.startsWith("/") || name.endsWith("/") || name.includes("//")) return "A path from here, such as notes/today.md.";
  return undefined;
}

export async function makeFile(directory: string): Promise<void> {
  const name = await askText({ title: "New file", about: place(directory), answer: "Create", label: "Name", begins: "", check: wrongName });
  if (name === undefined) return;
  const path = joined(directory, name);
  await attempt(`${path} could not be made`, async (agentId) => {
    mine(path);
    await rpc.call("worktree.write", { agentId, path, content: "", overwrite: false });
    await list(directory);
    await reveal(path);
    openFile(path);
  });
}

export async function makeFolder(directory: string): Promise<void> {
  const name = await askText({ title: "New folder", about: place(directory), answer: "Create", label: "Name", begins: "", check: wrongName });
  if (name === undefined) return;
  const path = joined(directory, name);
  await attempt(`${path} could not be made`, async (agentId) => {
    mine(path);
    await rpc.call("worktree.mkdir", { agentId, path });
    await list(directory);
    await reveal(path);
  });
}

export async function rename(path: string): Promise<void> {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  const stem = dot > 0 ? dot : name.length;
  const to = await askText({ title: `Rename ${name}`, answer: "Rename", label: "New name", begins: name, select: [0, stem], check: wrongName });
  if (to !== undefined && to !== name) await move(path, joined(parentOf(path), to));
}

/** One move. */
interface Step {
  from: string;
  to: string;
}

/** Moves, and offers the way back. */
export async function move(from: string, to: string): Promise<void> {
  if (from === to) return;
  const title = parentOf(from) === parentOf(to) ? `Renamed to ${nameOf(to)}` : `Moved to ${parentOf(to)}`;
  await moveAll([{ from, to }], title);
}

/** Moves entries into a directory; what is there already, or would have to go into itself, stays. */
export async function moveInto(paths: readonly string[], directory: string): Promise<void> {
  const inside = (path: string) => directory === path || directory.startsWith(`${path}/`);
  const steps = paths.filter((path) => parentOf(path) !== directory && !inside(path)).map((from) => ({ from, to: joined(directory, nameOf(from)) }));
  if (steps.length === 1) return await move(steps[0]!.from, steps[0]!.to);
  if (steps.length > 0) await moveAll(steps, `Moved ${entries(steps.length)} to ${directory}`);
}

async function moveAll(steps: readonly Step[], title?: string): Promise<void> {
  const agentId = agent();
  if (agentId === undefined) return;
  const done: Step[] = [];
  const { wrong } = await each(steps, async ({ from, to }) => {
    mine(from);
    mine(to);
    await rpc.call("worktree.move", { agentId, fromPath: from, toPath: to });
    moved(from, to);
    done.push({ from, to });
  });
  const places = new Set(done.flatMap(({ from, to }) => [parentOf(from), parentOf(to)]));
  await Promise.all([...places].map((place) => list(place)));
  const last = done.at(-1);
  if (last) await reveal(last.to);
  const back = { label: "Undo", run: () => void moveAll(done.map(({ from, to }) => ({ from: to, to: from })).reverse()) };
  if (wrong !== undefined) {
    const what = steps.length === 1 ? nameOf(steps[0]!.from) : `${steps.length - done.length} of ${entries(steps.length)}`;
    failed(`${what} could not be moved`)(wrong);
    if (done.length > 0) toast({ kind: "info", title: `Moved ${entries(done.length)}`, action: back });
  } else if (title !== undefined) {
    toast({ kind: "done", title, action: back });
  }
}

/** How many calls of one action are under way at a time. */
const AT_ONCE = 8;

/** Does something to each; the first thing that went wrong does not end the others. */
async function each<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<{ wrong?: unknown }> {
  const result: { wrong?: unknown } = {};
  let next = 0;
  const work = async () => {
    for (let at = next++; at < all.length; at = next++) await act(all[at]!).catch((thrown: unknown) => (result.wrong ??= thrown));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, all.length) }, work));
  return result;
}

/** What does the deletions that wait when the page is left. */
const waiting = new Set<() => void>();

/** Takes entries out of sight at once, and deletes them unless that is taken back in time. */
export function remove(nodes: readonly Node[]): void {
  const agentId = agent();
  if (agentId === undefined || nodes.length === 0) return;
  const below = (path: string) => nodes.find((node) => path === node.path || path.startsWith(`${node.path}/`));
  const open = tabs().filter((tab) => tab.shown.kind === "file" && below(tab.shown.path) !== undefined);
  const edited = open.find((tab) => tab.dirty);
  if (edited) {
    toast({ kind: "error", title: `${edited.title} is being edited`, hint: "Save or close what you changed in it first." });
    return;
  }
  for (const tab of open) close(tab.id);
  const paths = nodes.map((node) => node.path);
  const name = nodes.length === 1 ? nodes[0]!.name : entries(nodes.length);
  hide(paths);
  const began = Date.now();
  const shown = toast({ kind: "info", title: `Deleting ${name}`, progress: 0, action: { label: "Undo", run: () => undo() } });
  const ticking = setInterval(() => update(shown, { progress: (Date.now() - began) / SECOND_THOUGHTS }), 200);
  const timer = setTimeout(() => act(), SECOND_THOUGHTS);
  const end = () => (clearInterval(ticking), clearTimeout(timer), waiting.delete(leave), dismiss(shown));
  const undo = () => (end(), unhide(paths));
  const erase = async ({ path, kind }: Node) => {
    mine(path);
    await rpc.call("worktree.delete", { agentId, path, recursive: kind === "dir" });
  };
  const act = () => {
    end();
    void each(nodes, erase).then(({ wrong }) => {
      unhide(paths);
      if (wrong !== undefined) failed(nodes.length === 1 ? `${name} could not be deleted` : `Not all of ${name} could be deleted`)(wrong);
    });
  };
  // There is no time for one after the other then.
  const leave = () => nodes.forEach((node) => void erase(node).catch(() => undefined));
  waiting.add(leave);
}

// Whoever leaves has thought long enough.
addEventListener("pagehide", () => [...waiting].forEach((leave) => leave()));

async function attempt(title: string, act: (agentId: string) => Promise<void>): Promise<void> {
  const id = agent();
  if (id === undefined) return;
  await act(id).catch(failed(title));
}

function place(directory: string): string {
  return directory === "/" ? "At the top of the workspace." : `In ${directory}.`;
}
