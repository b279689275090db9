// The names of all calls with what they take and give: the generated table, and what only a WebSocket has.
import type { Methods as Generated, Tools } from "../../../clients/typescript/src/schema.ts";

type Named<T> = { [Name in keyof T]: T[Name] extends { params: infer P; result: infer R } ? { params: P & { agentId: string }; result: R } : never };

/** What is open on a connection: watches, terminals, uploads. */
interface OnSocket {
  "worktree.watch": {
    params: { agentId: string; path?: string; recursive?: boolean; includeHidden?: boolean; includeIgnored?: boolean };
    result: { watchId: string; path: string; recursive: boolean };
  };
  "worktree.unwatch": { params: { watchId: string }; result: { watchId: string; ended: true } };
  "terminal.open": {
    params: { agentId: string; cols: number; rows: number; command?: string; workdir?: string; keep?: boolean };
    result: { sessionId: string; agentId: string; shell: string; cwd: string; confined: boolean; processId?: string };
  };
  "terminal.attach": {
    params: { agentId: string; processId: string; cols: number; rows: number };
    result: { sessionId: string; agentId: string; processId: string };
  };
  "terminal.input": { params: { sessionId: string; data: string; encoding?: "utf8" | "base64" }; result: { ok: true } };
  "terminal.resize": { params: { sessionId: string; cols: number; rows: number }; result: { ok: true } };
  "terminal.close": { params: { sessionId: string }; result: { ok: true } };
}

/** Every call by its name; tools take the agent beside their own parameters. */
export type Methods = Generated & Named<Tools> & OnSocket;
export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

/** What the gateway tells by itself. */
export interface Events {
  tick: { ts: number };
  "worktree.changed": { agentId: string; path: string; changeType: "created" | "modified" | "deleted"; watchId: string; seq: number };
  "worktree.resync": { agentId: string; watchId: string; seq: number };
  "worktree.unwatched": { agentId: string; watchId: string; seq: number };
  "terminal.data": { sessionId: string; seq: number; data: string; missingBytes?: number };
  "terminal.exit": { sessionId: string; exitCode: number | null; signal: number | string | null; reason: "process_exit" | "closed" | "error" | "disconnected" };
  "approval.requested": Approval;
  "approval.settled": { id: string; how: "answered" | "unanswered" | "withdrawn"; decision?: "allow" | "deny"; by?: string };
  "approval.resync": Record<string, never>;
}

/** A question that waits for an operator. */
export interface Approval {
  id: string;
  agentId: string;
  caller: string;
  session?: string;
  operation: string;
  summary: string;
  /** What it would change: lines behind - and +. */
  change?: string;
  askedMs: number;
  deadlineMs: number;
}

/** What a client hears that was let in. */
export interface Hello {
  protocol: number;
  server: { version: string; connId: string };
  features: { methods: string[]; events: string[] };
  snapshot: { sessionDefaults?: { defaultAgentId: string } };
  auth: { role: "operator" | "agent" | "user"; scopes: string[] };
  policy: { maxPayload: number; maxBufferedBytes: number; tickIntervalMs: number };
}

/** Calls that change nothing: they may be asked again after a wait or on another connection. */
const LOOKS = new Set<string>([
  "worktree.list", "worktree.stat", "worktree.read", "worktree.search", "worktree.diff", "worktree.download",
  "agents.list", "agents.get", "tokens.list", "audit.list", "approvals.list",
  "read", "glob", "grep", "list", "stat", "diff", "ps", "output",
]);

/** Tells whether a call may be asked twice. */
export function looks(method: string): boolean {
  return LOOKS.has(method);
}

/** Calls that speak of something open on one connection, which the next one does not know. */
export function bound(method: string): boolean {
  return method.startsWith("terminal.") || method === "worktree.watch" || method === "worktree.unwatch";
}
