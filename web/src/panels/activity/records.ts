// The records of the audit of one workspace, newest first: what is new is asked for while it is looked at.
import { batch, createEffect, createRoot, createSignal, on } from "solid-js";
import type { AuditRecord } from "../../../../clients/typescript/src/schema.ts";
import { asRpcError, type RpcError } from "../../rpc/errors.ts";
import { agent } from "../../state/agents.ts";
import { link, rpc } from "../../state/connection.ts";

/** What a record is about, for the eye. */
export type Kind = "read" | "write" | "command" | "refused";

export interface Entry extends AuditRecord {
  kind: Kind;
  /** Files that it names. */
  paths: string[];
  /** The rest of the summary. */
  about: string;
}

const PAGE = 200;
/** What is kept here; older ones are in the audit. */
const MOST = 3_000;

const [entries, setEntries] = createSignal<readonly Entry[]>([]);
const [wrong, setWrong] = createSignal<RpcError>();
const [loaded, setLoaded] = createSignal(false);
export { entries, loaded, wrong };

let older: number | null = null;
let busy = false;

const COMMANDS = new Set(["bash", "input", "kill", "terminal.open", "terminal.input", "terminal.attach", "terminal.close"]);
const WRITES = /^(write|edit|apply_patch|move|delete|mkdir|worktree\.(write|edit|mkdir|move|delete|upload.*)|agents\.(create|update|delete|stop|start)|tokens\.(create|revoke))$/;
const REFUSALS = new Set(["PERMISSION_DENIED", "APPROVAL_REFUSED", "READ_ONLY", "RATE_LIMIT_EXCEEDED", "PATH_OUTSIDE_WORKSPACE", "UNAUTHENTICATED", "QUOTA_EXCEEDED", "REDACTED_CONTENT"]);
/** What only holds a terminal or this list up, and says nothing. */
const NOISE = new Set(["terminal.resize", "output", "ps", "worktree.unwatch"]);

function entry(record: AuditRecord): Entry {
  const kind: Kind = refused(record) ? "refused" : COMMANDS.has(record.operation) ? "command" : WRITES.test(record.operation) || /^git$/.test(record.operation) && /commit|push|checkout/.test(record.summary ?? "") ? "write" : "read";
  const parts = (record.summary ?? "").split("; ");
  const named = parts[0] !== undefined && !/^[a-zA-Z]+: |^unredacted$/.test(parts[0]) ? (parts.shift() ?? "") : "";
  const paths = named.split(", ").filter((path) => path !== "" && path !== "/");
  // An agent's role names the agent, which all records here have in common.
  return { ...record, role: record.role.split(":")[0] ?? "", kind, paths, about: parts.join("; ") };
}

/** Tells whether it was not let happen; what merely failed is no refusal. */
export function refused(record: AuditRecord): boolean {
  return REFUSALS.has(record.outcome);
}

/** Asks for what is new. */
export async function look(): Promise<void> {
  const of = agent();
  if (of === undefined || busy || link().is !== "open") return;
  busy = true;
  try {
    const newest = entries()[0]?.sequence ?? -1;
    const fresh: Entry[] = [];
    let before: number | undefined;
    for (;;) {
      const page = await rpc.call("audit.list", { workspace: of, limit: newest < 0 ? PAGE : 100, ...(before === undefined ? {} : { before }) });
      const unknown = page.records.filter((record) => record.sequence > newest);
      fresh.push(...unknown.map(entry));
      if (newest < 0) older = page.next;
      if (newest < 0 || unknown.length < page.records.length || page.next === null || fresh.length >= 1_000) break;
      before = page.next;
    }
    if (of !== agent()) return;
    batch(() => {
      if (fresh.length > 0) setEntries([...fresh, ...entries()].slice(0, MOST));
      setWrong(undefined);
      setLoaded(true);
    });
  } catch (thrown) {
    setWrong(asRpcError(thrown));
  } finally {
    busy = false;
  }
}

/** Asks for older ones; tells whether there may be more. */
export async function lookBack(): Promise<boolean> {
  const of = agent();
  if (of === undefined || busy || older === null || entries().length >= MOST) return false;
  busy = true;
  try {
    const page = await rpc.call("audit.list", { workspace: of, limit: PAGE, before: older });
    if (of !== agent()) return false;
    older = page.next;
    setEntries([...entries(), ...page.records.map(entry)]);
    return older !== null;
  } catch {
    return false;
  } finally {
    busy = false;
  }
}

export interface Wanted {
  text: string;
  outcome: "all" | "done" | "refused" | "failed";
  who: "all" | "agent" | "operator";
  noise: boolean;
}

/** Those that are wanted; a text is looked for in the operation and in the paths. */
export function wanted(all: readonly Entry[], by: Wanted): Entry[] {
  const words = by.text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((one) => {
    if (!by.noise && NOISE.has(one.operation)) return false;
    if (by.who !== "all" && one.role !== by.who) return false;
    if (by.outcome === "done" && one.outcome !== "OK") return false;
    if (by.outcome === "refused" && !refused(one)) return false;
    if (by.outcome === "failed" && (one.outcome === "OK" || refused(one))) return false;
    const text = `${one.operation} ${one.summary ?? ""} ${one.outcome}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

createRoot(() => createEffect(on(agent, () => batch(() => {
  older = null;
  setEntries([]);
  setLoaded(false);
}), { defer: true })));
