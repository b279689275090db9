// What git says of the workspace that is shown: the state of its files since the last commit, for the panel and the tree.
//
// It asks only once somebody wants to know, and again a moment after files changed.
import { createEffect, createMemo, createRoot, createSignal, on } from "solid-js";
import { asRpcError, type RpcError } from "../rpc/errors.ts";
import type { Method } from "../rpc/methods.ts";
import { agent } from "./agents.ts";
import { link, may, onConnected, rpc } from "./connection.ts";

export interface GitFile {
  path: string;
  /** Such as added, modified, deleted, renamed, untracked, both_modified. */
  kind: string;
  from?: string;
  additions?: number;
  deletions?: number;
  binary?: boolean;
}
export interface GitCommit {
  id: string;
  parents: string[];
  author: string;
  email?: string;
  date: string;
  committer: string;
  subject: string;
  body?: string;
}
export interface GitBranch {
  name: string;
  remote?: boolean;
  current?: boolean;
  commit: string;
  date: string;
  subject: string;
  upstream?: string;
  ahead?: number;
  behind?: number;
}
/** What every action of the tool may answer. */
export interface GitReply {
  action: string;
  repository: string;
  branch?: string;
  commit?: string;
  detached?: boolean;
  upstream?: string;
  ahead?: number;
  behind?: number;
  clean?: boolean;
  staged?: GitFile[];
  changed?: GitFile[];
  conflicted?: GitFile[];
  untracked?: GitFile[];
  files?: GitFile[];
  diff?: string;
  commits?: GitCommit[];
  branches?: GitBranch[];
  remote?: string;
  created?: boolean;
  truncated?: boolean;
  next_offset?: number;
  /** Who commits are by, where the gateway tells. */
  identity?: string;
}

/** Where git stands here. */
export type Git =
  | { is: "unknown" }
  /** The gateway has no git. */
  | { is: "absent" }
  /** There is no repository. */
  | { is: "none"; why: RpcError }
  | { is: "failed"; why: RpcError }
  | { is: "known"; status: GitReply };

/** How long after a change it is asked again, in milliseconds. */
const REST = 700;

const [git, setGit] = createSignal<Git>({ is: "unknown" });
export { git };

/** Asks git for something. */
export async function askGit(params: { action: string } & Record<string, unknown>, signal?: AbortSignal): Promise<GitReply> {
  const of = agent();
  // The generated table has it once the gateway does.
  const called = rpc.call("git" as Method, { agentId: of, ...params } as never, signal === undefined ? {} : { signal });
  return (await called) as unknown as GitReply;
}

let wanted = false;
let busy = false;
let again = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Looks at the state now. */
export async function refreshGit(): Promise<void> {
  wanted = true;
  const of = agent();
  if (of === undefined || link().is !== "open") return;
  if (!may("git")) return void setGit({ is: "absent" });
  if (busy) return void (again = true);
  busy = true;
  try {
    const status = await askGit({ action: "status" });
    if (of === agent()) setGit({ is: "known", status });
  } catch (thrown) {
    const why = asRpcError(thrown);
    if (of === agent() && why.code !== "CONNECTION_LOST" && why.code !== "ABORTED") setGit(judged(why));
  } finally {
    busy = false;
    if (again) {
      again = false;
      soon();
    }
  }
}

function judged(why: RpcError): Git {
  if (why.code === "UNKNOWN_METHOD") return { is: "absent" };
  const nowhere = /repository/i.test(why.message) && /no |not /i.test(why.message);
  return nowhere ? { is: "none", why } : { is: "failed", why };
}

function soon(): void {
  if (!wanted || document.hidden) return;
  clearTimeout(timer);
  timer = setTimeout(() => void refreshGit(), REST);
}

rpc.on("worktree.changed", ({ agentId, path }) => {
  // What git itself writes there says nothing of the files.
  if (agentId === agent() && !/(^|\/)\.git\/.*(lock|objects)/.test(path)) soon();
});
rpc.on("worktree.resync", soon);
onConnected(soon);
createRoot(() => createEffect(on(agent, () => (setGit({ is: "unknown" }), soon()), { defer: true })));

const LETTERS: Record<string, string> = { added: "A", modified: "M", deleted: "D", renamed: "R", copied: "C", type_changed: "T", untracked: "U" };

/** The letter of a kind; a conflict is one whatever both sides did. */
export function letter(kind: string): string {
  return LETTERS[kind] ?? "!";
}

const badges = createRoot(() => createMemo(() => {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  const now = git();
  if (now.is !== "known") return { files, folders };
  const { staged = [], changed = [], untracked = [], conflicted = [] } = now.status;
  for (const file of [...staged, ...changed, ...untracked, ...conflicted]) {
    const path = plain(file.path);
    files.set(path, letter(file.kind));
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) folders.add(path.slice(0, at));
  }
  return { files, folders };
}));

/** What changed at a path since the last commit: A, M, D, R, U or ! for a file; a dot for a folder with changes in it. */
export function gitBadge(path: string): string | undefined {
  if (!wanted) queueMicrotask(() => void refreshGit());
  wanted = true;
  const { files, folders } = badges();
  const name = plain(path);
  return files.get(name) ?? (folders.has(name) ? "•" : undefined);
}

/** A badge in words, for a label. */
export function badgeWord(badge: string): string {
  return { A: "added", M: "modified", D: "deleted", R: "renamed", C: "copied", T: "another type", U: "not in git", "!": "in conflict", "•": "has changes" }[badge] ?? "changed";
}

function plain(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}
