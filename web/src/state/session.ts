// Who is signed in, and the ways in: the ticket of a printed address, the browser's session, or a token.
//
// A token stays in the memory of this page unless its owner asks for the tab's storage; it is never in an address.
import { createSignal } from "solid-js";
import type { Session as Told } from "../../../clients/typescript/src/schema.ts";
import { asRpcError, type RpcError } from "../rpc/errors.ts";
import { sendJson, useToken } from "../rpc/http.ts";
import { rpc } from "./connection.ts";

export type Role = "operator" | "agent" | "user";

/** Where the page stands. */
export type Session =
  | { is: "looking" }
  | { is: "out"; why?: RpcError }
  | { is: "in"; role: Role; agent?: string; label: string; by: "token" | "session" }
  /** It was in; what was open is still open behind the question. */
  | { is: "over"; why: RpcError; before: { role: Role; agent?: string } };

const KEY = "garth.token";
/** Kept beside the browser's session, which a page cannot see: that there may be one. No secret is in it. */
const BEFORE = "garth.before";
const [session, setSession] = createSignal<Session>({ is: "looking" });
export { session };

/** The role of whoever is or just was in. */
export function role(): Role | undefined {
  const now = session();
  return now.is === "in" ? now.role : now.is === "over" ? now.before.role : undefined;
}

/** The agent that a token is bound to. */
export function ownAgent(): string | undefined {
  const now = session();
  return now.is === "in" ? now.agent : now.is === "over" ? now.before.agent : undefined;
}

/** Whether somebody will probably be in once `begin` has asked. */
export function expected(): boolean {
  return location.hash.includes("ticket=") || sessionStorage.getItem(KEY) !== null || localStorage.getItem(BEFORE) !== null;
}

/** Finds a way in when the page is opened. */
export async function begin(): Promise<void> {
  rpc.onLink((link) => link.is === "refused" && end(link.error));
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  // Gone from the address before anything else, so that it is in no history.
  if (ticket !== null) history.replaceState(null, "", location.pathname);
  const kept = sessionStorage.getItem(KEY);
  const before = localStorage.getItem(BEFORE) !== null;
  try {
    if (ticket !== null) await sendJson("POST", "/v1/session", { ticket });
    else if (kept !== null) return await enter(kept, "known");
    await enter(undefined, ticket !== null || before ? "known" : "unknown");
  } catch (thrown) {
    const error = asRpcError(thrown);
    // Who simply is not signed in yet needs no error.
    setSession(ticket === null && kept === null && error.code === "UNAUTHENTICATED" ? { is: "out" } : { is: "out", why: error });
    forget();
  }
}

/** Signs in with a token; `keep` leaves it in the storage of this tab. */
export async function signIn(token: string, keep: boolean): Promise<void> {
  // The connection would take the browser's session before the token.
  await fetch("/v1/session", { method: "DELETE" }).catch(() => undefined);
  await enter(token, "unknown");
  if (keep) sessionStorage.setItem(KEY, token);
}

/** Signs out, and ends the browser's session if that was the way in. */
export async function signOut(): Promise<void> {
  const now = session();
  forget();
  rpc.close();
  if (now.is === "in" && now.by === "session") await fetch("/v1/session", { method: "DELETE" }).catch(() => undefined);
  setSession({ is: "out" });
}

/** Who was let in before is connected while it is asked who it is; who was not is asked first, and tries once. */
async function enter(token: string | undefined, who: "known" | "unknown"): Promise<void> {
  useToken(token);
  if (who === "known") rpc.connect(token);
  const told = await sendJson<Told>("GET", "/v1/session").catch((thrown: unknown) => {
    useToken(undefined);
    if (who === "known") rpc.close();
    throw thrown;
  });
  const by = token === undefined ? "session" : "token";
  if (token === undefined) localStorage.setItem(BEFORE, "1");
  if (who === "unknown") rpc.connect(token);
  const is = { is: "in", role: told.role, label: told.label, by } as const;
  setSession(told.agent === undefined ? is : { ...is, agent: told.agent });
  // It may have been refused while the other was answered.
  if (rpc.link.is === "refused") end(rpc.link.error);
}

/** The session has ended; what was open stays behind the question. */
function end(why: RpcError): void {
  const now = session();
  if (now.is !== "in") return;
  forget();
  const before = now.agent === undefined ? { role: now.role } : { role: now.role, agent: now.agent };
  setSession({ is: "over", why, before });
}

function forget(): void {
  localStorage.removeItem(BEFORE);
  sessionStorage.removeItem(KEY);
  useToken(undefined);
}
