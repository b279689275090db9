// What a menu offers for an entry, the same for the mouse, the keyboard and the bar.
import { gitBadge } from "../../state/git.ts";
import { openDiff, openFile } from "../../state/tabs.ts";
import { toast } from "../../state/toasts.ts";
import type { Item } from "../../ui/Menu.tsx";
import { compareWithCommit } from "../git/later.ts";
import { makeFile, makeFolder, remove, rename, writable } from "./actions.ts";
import { cut, cutPath, paste } from "./cutting.ts";
import { parentOf, tree } from "./store.ts";
import { download } from "./transfer.ts";

/** The side of a comparison that was chosen first. */
let compared: string | undefined;

/** The directory that a new thing goes to: the entry itself, or the one it is in. */
export function directoryOf(path: string | undefined): string {
  if (path === undefined) return "/";
  const node = tree().find(path);
  return node?.kind === "dir" ? path : parentOf(path);
}

export function itemsFor(path: string | undefined): Item[] {
  const node = path === undefined ? undefined : tree().find(path);
  const directory = directoryOf(path);
  const changes: Item[] = writable()
    ? [
        { label: "New file…", icon: "filePlus", run: () => void makeFile(directory) },
        { label: "New folder…", icon: "folderPlus", run: () => void makeFolder(directory) },
      ]
    : [];
  if (!node || path === undefined) return [...changes, "line", { label: "Download all", icon: "download", run: () => void download("/", "dir") }];
  const file: Item[] = node.kind === "file"
    ? [
        { label: "Open", icon: "file", keys: "Enter", run: () => openFile(path) },
        { label: "Compare with…", icon: "diff", run: () => choose(path) },
        ...(compared !== undefined && compared !== path ? [{ label: `Compare with ${compared}`, icon: "diff" as const, run: () => openDiff({ path: compared! }, { path }) }] : []),
        ...(inGit(path) ? [{ label: "Compare with the last commit", icon: "diff" as const, keys: "Alt+G", run: () => void compareWithCommit(path) }] : []),
        "line",
      ]
    : [];
  const own: Item[] = writable()
    ? [
        { label: "Rename…", icon: "edit", keys: "F2", run: () => void rename(path) },
        { label: "Cut", keys: "Ctrl+X", run: () => cut(path) },
        ...(cutPath() ? [{ label: "Move here", keys: "Ctrl+V", run: () => void paste(directory) }] : []),
        "line",
        { label: "Delete", icon: "trash", keys: "Del", danger: true, run: () => remove(path, node.kind) },
      ]
    : [];
  const get: Item = { label: node.kind === "dir" ? "Download as zip" : "Download", icon: "download", run: () => void download(path, node.kind) };
  const copy: Item = { label: "Copy the path", run: () => void navigator.clipboard?.writeText(path) };
  return [...file, get, copy, ...(changes.length > 0 ? (["line"] as Item[]) : []), ...changes, ...own];
}

/** Tells whether git has an earlier content of a file that changed. */
function inGit(path: string): boolean {
  return ["M", "R", "C", "T", "!"].includes(gitBadge(path) ?? "");
}

function choose(path: string): void {
  compared = path;
  toast({ kind: "info", title: `${path} is one side`, hint: "Choose the other file and “Compare with” in its menu." });
}
