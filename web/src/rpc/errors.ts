// Why a call failed: in the gateway's words, with what to do about it.
import type { Error as Body } from "../../../clients/typescript/src/schema.ts";

/** The codes of the gateway, and those of the way to it. */
export type Code = Body["error"]["code"] | "CONNECTION_LOST" | "ABORTED";

/** What a reply carries that is no success. */
export interface Failure {
  code: string;
  message: string;
  details?: { hint?: string; path?: string; retryAfterMs?: number; [key: string]: unknown };
  retryAfterMs?: number;
}

/** Every failure of a call. `message` says what happened, `hint` what to do. */
export class RpcError extends Error {
  readonly code: Code;
  readonly hint: string;
  readonly path: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "RpcError";
    this.code = failure.code as Code;
    this.hint = failure.details?.hint ?? "";
    this.path = failure.details?.path;
    this.retryAfterMs = failure.retryAfterMs ?? failure.details?.retryAfterMs;
  }
}

/** The connection ended before an answer came. */
export function lost(): RpcError {
  const hint = "It is tried again by itself; try once more when the connection is back.";
  return new RpcError({ code: "CONNECTION_LOST", message: "the connection to the gateway was lost", details: { hint } });
}

/** Whoever asked no longer wants the answer. */
export function aborted(): RpcError {
  return new RpcError({ code: "ABORTED", message: "this was cancelled" });
}

/** Whatever was thrown, as an error with a code. */
export function asRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof DOMException && thrown.name === "AbortError") return aborted();
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new RpcError({ code: "INTERNAL", message, details: { hint: "Reload the page; if it stays, look at the gateway's log." } });
}
