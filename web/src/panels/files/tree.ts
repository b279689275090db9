// The tree of a workspace as far as it was opened: plain objects and one flat list of what is visible.
//
// Nothing here is reactive: a workspace has a hundred thousand entries, and whoever shows them needs the few on the screen.
import { sortByName } from "./byname.ts";

export interface Entry {
  path: string;
  name: string;
  kind: "file" | "dir";
  /** What it is where it is neither: symlink, fifo, socket or device. */
  type?: string | undefined;
  size?: number | undefined;
  modified?: string | undefined;
}

export interface Node extends Entry {
  depth: number;
  parent: Node | undefined;
  open: boolean;
  /** What is in a directory, as far as it was listed; nothing before. */
  children: Node[] | undefined;
  /** Whether more is to come. */
  partial: boolean;
  position: number;
}

/** Up to so many entries are sorted as people do; more keep the order that the gateway gives. */
const SORTED = 5_000;

export class Tree {
  readonly root: Node = made({ path: "/", name: "/", kind: "dir" }, undefined);
  #byPath = new Map<string, Node>();
  #rows: Node[] = [];
  #stale = true;

  /** What is visible, from top to bottom. */
  get rows(): readonly Node[] {
    if (this.#stale) {
      this.#rows = [];
      this.#stale = false;
      walk(this.root, this.#rows);
    }
    return this.#rows;
  }

  find(path: string): Node | undefined {
    return path === "/" || path === "" ? this.root : this.#byPath.get(path);
  }

  /** Opens or closes a directory; what is in it stays known. */
  open(node: Node, open: boolean): void {
    node.open = open;
    this.#stale = true;
  }

  /** Sets what is in a directory: the first page of a listing, or a later one behind it. */
  fill(node: Node, entries: Entry[], how: "first" | "more", partial: boolean): void {
    const before = how === "first" ? new Map((node.children ?? []).map((child) => [child.name, child])) : undefined;
    const added = entries.map((entry) => {
      const there = before?.get(entry.name);
      if (there && there.kind === entry.kind) {
        before?.delete(entry.name);
        return Object.assign(there, entry);
      }
      return made(entry, node);
    });
    for (const gone of before?.values() ?? []) this.#forget(gone);
    for (const child of added) this.#byPath.set(child.path, child);
    const there = how === "first" ? [] : (node.children ?? []);
    node.partial = partial;
    this.#stale = true;
    if (there.length + added.length > SORTED && added.every((child) => child.kind !== "dir")) {
      // Files behind all that is there: nothing that stands has to be looked at again.
      for (const child of added) child.position = there.push(child);
      node.children = there;
    } else {
      node.children = ordered([...there, ...added], partial);
    }
  }

  /** Adds or changes one entry of a directory that was listed. */
  put(entry: Entry): Node | undefined {
    const parent = this.find(parentOf(entry.path));
    if (!parent?.children) return undefined;
    const there = this.#byPath.get(entry.path);
    if (there && there.kind === entry.kind) return Object.assign(there, entry);
    if (there) this.remove([entry.path]);
    const child = made(entry, parent);
    this.#byPath.set(child.path, child);
    parent.children = ordered([...parent.children, child], parent.partial);
    this.#stale = true;
    return child;
  }

  remove(paths: readonly string[]): void {
    const gone = new Set(paths.flatMap((path) => this.#byPath.get(path) ?? []));
    for (const parent of new Set([...gone].map((node) => node.parent))) {
      if (!parent) continue;
      parent.children = parent.children?.filter((child) => !gone.has(child));
      parent.children?.forEach((child, at) => (child.position = at + 1));
    }
    for (const node of gone) this.#forget(node);
    this.#stale = true;
  }

  /** The paths of all directories that are open, those above first. */
  opened(): string[] {
    const paths: string[] = [];
    const visit = (node: Node): void => {
      for (const child of node.children ?? []) {
        if (!child.open) continue;
        paths.push(child.path);
        visit(child);
      }
    };
    visit(this.root);
    return paths;
  }

  #forget(node: Node): void {
    this.#byPath.delete(node.path);
    for (const child of node.children ?? []) this.#forget(child);
  }
}

/** The directory that something is in. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at > 0 ? path.slice(0, at) : "/";
}

/** A path from a directory and a name. */
export function joined(directory: string, name: string): string {
  return directory === "/" || directory === "" ? name : `${directory}/${name}`;
}

function made(entry: Entry, parent: Node | undefined): Node {
  return { ...entry, depth: parent ? parent.depth + 1 : 0, parent, open: parent === undefined, children: undefined, partial: false, position: 1 };
}

/** Directories first, each by name; very long ones, and those of which more is to come, as they came. */
function ordered(nodes: Node[], partial: boolean): Node[] {
  const dirs = nodes.filter((node) => node.kind === "dir");
  const files = nodes.filter((node) => node.kind !== "dir");
  if (nodes.length <= SORTED && !partial) for (const part of [dirs, files]) sortByName(part);
  const all = dirs.concat(files);
  all.forEach((node, at) => (node.position = at + 1));
  return all;
}

function walk(node: Node, rows: Node[]): void {
  for (const child of node.children ?? []) {
    rows.push(child);
    if (child.open) walk(child, rows);
  }
}
