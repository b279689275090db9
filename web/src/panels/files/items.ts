// What a menu offers for an entry, the same for the mouse, the keyboard and the bar.
import { gitBadge } from "../../state/git.ts";
import { openDiff, openFile } from "../../state/tabs.ts";
import { toast } from "../../state/toasts.ts";
import type { Item } from "../../ui/Menu.tsx";
import { compareWithCommit } from "../git/later.ts";
import { makeFile, makeFolder, remove, rename, writable } from "./actions.ts";
import { anyCut, cut, paste } from "./cutting.ts";
import { entries, picked, pickNear } from "./selection.ts";
import { parentOf, tree } from "./store.ts";
import { download, downloadAll } from "./transfer.ts";
import type { Node } from "./tree.ts";

/** The side of a comparison that was chosen first. */
let compared: string | undefined;

/** The directory that a new thing goes to: the entry itself, or the one it is in. */
export function directoryOf(path: string | undefined): string {
  if (path === undefined) return "/";
  const node = tree().find(path);
  return node?.kind === "dir" ? path : parentOf(path);
}

/** Deletes what is chosen, and goes on with what comes after it. */
export function removePicked(): void {
  const all = picked();
  const near = pickNear(all);
  remove(all);
  near();
}

/** What can be done with what is chosen. */
export function items(): Item[] {
  const all = picked();
  return all.length > 1 ? itemsForAll(all) : itemsFor(all[0]?.path);
}

function itemsForAll(all: Node[]): Item[] {
  const what = entries(all.length);
  const [left, right] = all;
  const two = all.length === 2 && left?.kind === "file" && right?.kind === "file";
  return [
    ...(two ? [{ label: "Compare these two", icon: "diff" as const, run: () => openDiff({ path: left.path }, { path: right.path }) }] : []),
    { label: `Download ${what} as zip`, icon: "download", run: () => void downloadAll(all) },
    { label: "Copy the paths", run: () => void navigator.clipboard?.writeText(all.map((node) => node.path).join("\n")) },
    ...(writable()
      ? ([
          "line",
          { label: `Cut ${what}`, keys: "Ctrl+X", run: () => cut(all) },
          "line",
          { label: `Delete ${what}`, icon: "trash", keys: "Del", danger: true, run: removePicked },
        ] as Item[])
      : []),
  ];
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
  const put: Item[] = anyCut() && writable() ? [{ label: "Move here", keys: "Ctrl+V", run: () => void paste(directory) }] : [];
  if (!node || path === undefined) return [...changes, ...put, "line", { label: "Download all", icon: "download", run: () => void download("/", "dir") }];
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
        { label: "Cut", keys: "Ctrl+X", run: () => cut([node]) },
        ...put,
        "line",
        { label: "Delete", icon: "trash", keys: "Del", danger: true, run: removePicked },
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
