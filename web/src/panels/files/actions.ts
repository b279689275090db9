// What can be done to files: make, rename, move, delete with a while to think better of it.
import { agent, current } from "../../state/agents.ts";
import { may, rpc } from "../../state/connection.ts";
import { mine } from "../../state/own.ts";
import { close, moved, nameOf, openFile, tabs } from "../../state/tabs.ts";
import { dismiss, failed, toast, update } from "../../state/toasts.ts";
import { askText } from "../../ui/ask.tsx";
import { hide, joined, list, parentOf, reveal, unhide } from "./store.ts";

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

/** Moves, and offers the way back. */
export async function move(from: string, to: string, undoes = true): Promise<void> {
  if (from === to) return;
  await attempt(`${nameOf(from)} could not be moved`, async (agentId) => {
    mine(from);
    mine(to);
    await rpc.call("worktree.move", { agentId, fromPath: from, toPath: to });
    moved(from, to);
    await Promise.all([list(parentOf(from)), list(parentOf(to))]);
    await reveal(to);
    if (!undoes) return;
    const title = parentOf(from) === parentOf(to) ? `Renamed to ${nameOf(to)}` : `Moved to ${parentOf(to)}`;
    toast({ kind: "done", title, action: { label: "Undo", run: () => void move(to, from, false) } });
  });
}

/** Deletions that wait, by path. */
const waiting = new Map<string, () => void>();

/** Takes something out of sight at once, and deletes it unless that is taken back in time. */
export function remove(path: string, kind: "file" | "dir"): void {
  const agentId = agent();
  if (agentId === undefined || waiting.has(path)) return;
  const open = tabs().filter((tab) => tab.shown.kind === "file" && (tab.shown.path === path || tab.shown.path.startsWith(`${path}/`)));
  if (open.some((tab) => tab.dirty)) {
    toast({ kind: "error", title: `${nameOf(path)} is being edited`, hint: "Save or close what you changed in it first." });
    return;
  }
  for (const tab of open) close(tab.id);
  hide(path);
  const began = Date.now();
  const shown = toast({ kind: "info", title: `Deleting ${nameOf(path)}`, progress: 0, action: { label: "Undo", run: () => undo() } });
  const ticking = setInterval(() => update(shown, { progress: (Date.now() - began) / SECOND_THOUGHTS }), 200);
  const timer = setTimeout(() => act(), SECOND_THOUGHTS);
  const end = () => (clearInterval(ticking), clearTimeout(timer), waiting.delete(path), dismiss(shown));
  const undo = () => (end(), unhide(path));
  const act = () => {
    end();
    mine(path);
    rpc.call("worktree.delete", { agentId, path, recursive: kind === "dir" }).then(
      () => unhide(path),
      (thrown: unknown) => (unhide(path), failed(`${nameOf(path)} could not be deleted`)(thrown)),
    );
  };
  waiting.set(path, act);
}

// Whoever leaves has thought long enough.
addEventListener("pagehide", () => [...waiting.values()].forEach((act) => act()));

async function attempt(title: string, act: (agentId: string) => Promise<void>): Promise<void> {
  const id = agent();
  if (id === undefined) return;
  await act(id).catch(failed(title));
}

function place(directory: string): string {
  return directory === "/" ? "At the top of the workspace." : `In ${directory}.`;
}
