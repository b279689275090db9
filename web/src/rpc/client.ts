// All that is asked of the gateway goes over one WebSocket: requests by their ids, events, and a way back when it breaks.
//
// After a break it comes back by itself, later each time. Requests that were under way are asked again: looks as
// they are, changes under the name they had (idempotencyKey), so that none happens twice.
import { aborted, lost, RpcError, type Failure } from "./errors.ts";
import { bound, looks, type Events, type Hello, type Method, type Params, type Result } from "./methods.ts";

/** How the connection is. */
export type Link =
  | { is: "idle" }
  | { is: "connecting"; attempt: number }
  | { is: "open"; hello: Hello }
  | { is: "waiting"; attempt: number; untilMs: number }
  | { is: "refused"; error: RpcError };

export interface CallOptions {
  signal?: AbortSignal;
  /** How often a look waits for its turn when the limit is reached; 3 if absent. */
  patience?: number;
}

interface Pending {
  id: string;
  method: string;
  params: Record<string, unknown>;
  resolve: (value: unknown) => void;
  reject: (error: RpcError) => void;
}

type Frame =
  | { type: "res"; id: string | null; ok: boolean; payload?: unknown; error?: Failure }
  | { type: "event"; event: string; payload: unknown; seq?: number };

/** The first wait before another try, and the longest, in milliseconds. */
const FIRST_WAIT = 400;
const LONGEST_WAIT = 15_000;
/** Ticks that may be missing before a connection is taken for dead. */
const MISSED_TICKS = 2.5;
/** A close with this code says that the token is no longer good. */
const POLICY = 1008;

export class RpcClient {
  #socket: WebSocket | undefined;
  #token: string | undefined;
  #link: Link = { is: "idle" };
  #pending = new Map<string, Pending>();
  #listeners = new Map<string, Set<(payload: never) => void>>();
  #watchers = new Set<(link: Link) => void>();
  #next = 0;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  readonly #url: string;

  constructor(url = `${location.origin.replace(/^http/, "ws")}/v1/ws`) {
    this.#url = url;
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
  }

  get link(): Link {
    return this.#link;
  }

  /** Hears how the connection is, from now on; gives what ends that. */
  onLink(hear: (link: Link) => void): () => void {
    this.#watchers.add(hear);
    return () => this.#watchers.delete(hear);
  }

  /** Hears an event; gives what ends that. */
  on<E extends keyof Events>(event: E, hear: (payload: Events[E]) => void): () => void {
    const hearing = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, hearing);
    hearing.add(hear as (payload: never) => void);
    return () => hearing.delete(hear as (payload: never) => void);
  }

  /** Connects, with a token or with the session that the browser has. */
  connect(token?: string): void {
    this.close();
    this.#token = token;
    this.#attempt = 0;
    this.#open();
  }

  /** Ends the connection for good; what is under way fails. */
  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000);
    this.#token = undefined;
    this.#failAll(lost());
    this.#set({ is: "idle" });
  }

  /** Tries at once what would be tried later. */
  retryNow(): void {
    if (this.#link.is !== "waiting") return;
    clearTimeout(this.#timer);
    this.#open();
  }

  /** Asks for one thing. */
  async call<M extends Method>(method: M, params: Params<M>, options: CallOptions = {}): Promise<Result<M>> {
    let patience = looks(method) ? (options.patience ?? 3) : 0;
    for (;;) {
      try {
        return (await this.#ask(method, params as Record<string, unknown>, options.signal)) as Result<M>;
      } catch (thrown) {
        const error = thrown as RpcError;
        if (error.code !== "RATE_LIMIT_EXCEEDED" || patience-- <= 0) throw error;
        await wait(Math.min(error.retryAfterMs ?? 1_000, 10_000), options.signal);
      }
    }
  }

  #ask(method: string, params: Record<string, unknown>, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(aborted());
    if (this.#link.is === "refused") return Promise.reject(this.#link.error);
    if (this.#link.is === "idle") return Promise.reject(lost());
    const id = String(++this.#next);
    const named = looks(method) || bound(method) ? params : { ...params, idempotencyKey: crypto.randomUUID?.() ?? `${Date.now()}-${id}` };
    return new Promise((resolve, reject) => {
      const pending: Pending = { id, method, params: named, resolve, reject };
      const cancel = () => {
        if (!this.#pending.delete(id)) return;
        this.#send({ type: "req", id: `x${id}`, method: "request.cancel", params: { id } });
        reject(aborted());
      };
      signal?.addEventListener("abort", cancel, { once: true });
      const settled = <T>(settle: (value: T) => void) => (value: T) => {
        signal?.removeEventListener("abort", cancel);
        settle(value);
      };
      pending.resolve = settled(resolve);
      pending.reject = settled(reject);
      this.#pending.set(id, pending);
      if (this.#link.is === "open") this.#sendPending(pending);
    });
  }

  #open(): void {
    this.#attempt += 1;
    this.#set({ is: "connecting", attempt: this.#attempt });
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    let refusal: RpcError | undefined;
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      this.#alive();
      const frame = JSON.parse(data as string) as Frame;
      if (frame.type === "event" && frame.event === "connect.challenge") return this.#greet(socket);
      if (frame.type === "event") return this.#tell(frame.event, frame.payload);
      if (frame.id === "hello") {
        if (frame.ok) this.#welcome(frame.payload as Hello);
        else refusal = new RpcError(frame.error ?? { code: "UNAUTHENTICATED", message: "not let in" });
        return;
      }
      const pending = frame.id === null ? undefined : this.#pending.get(frame.id);
      if (!pending) return;
      this.#pending.delete(pending.id);
      if (frame.ok) pending.resolve(frame.payload);
      else pending.reject(new RpcError(frame.error ?? { code: "INTERNAL", message: "an answer without a reason" }));
    };
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.#socket) return;
      this.#socket = undefined;
      clearTimeout(this.#silence);
      if (refusal || code === POLICY) return this.#refuse(refusal ?? over(reason));
      this.#later();
    };
  }

  #greet(socket: WebSocket): void {
    const client = { id: "garth-web", version: "0.1.0", platform: "web", mode: "ui" };
    const auth = this.#token === undefined ? {} : { auth: { token: this.#token } };
    const params = { minProtocol: 4, maxProtocol: 4, client, caps: [], ...auth };
    socket.send(JSON.stringify({ type: "req", id: "hello", method: "connect", params }));
  }

  #welcome(hello: Hello): void {
    this.#attempt = 0;
    // Taken first: who hears of the connection asks at once, and is sent at once.
    const waited = [...this.#pending.values()];
    this.#set({ is: "open", hello });
    for (const pending of waited) this.#sendPending(pending);
  }

  #later(): void {
    // What is bound to the connection that is gone has no meaning on the next.
    for (const pending of [...this.#pending.values()]) {
      if (!bound(pending.method)) continue;
      this.#pending.delete(pending.id);
      pending.reject(lost());
    }
    const longest = Math.min(FIRST_WAIT * 2 ** Math.max(0, this.#attempt - 1), LONGEST_WAIT);
    const waitMs = longest * (0.7 + Math.random() * 0.3);
    this.#set({ is: "waiting", attempt: this.#attempt, untilMs: Date.now() + waitMs });
    this.#timer = setTimeout(() => this.#open(), waitMs);
  }

  #refuse(error: RpcError): void {
    this.#failAll(error);
    this.#set({ is: "refused", error });
  }

  /** A connection on which even the ticks are missing is dead, whatever the browser believes. */
  #alive(): void {
    clearTimeout(this.#silence);
    if (this.#link.is !== "open") return;
    const silence = this.#link.hello.policy.tickIntervalMs * MISSED_TICKS;
    this.#silence = setTimeout(() => {
      const socket = this.#socket;
      this.#socket = undefined;
      socket?.close();
      this.#later();
    }, silence);
  }

  #tell(event: string, payload: unknown): void {
    for (const hear of [...(this.#listeners.get(event) ?? [])]) hear(payload as never);
  }

  #sendPending({ id, method, params }: Pending): void {
    this.#send({ type: "req", id, method, params });
  }

  #send(frame: unknown): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #failAll(error: RpcError): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of all) pending.reject(error);
  }

  #set(link: Link): void {
    this.#link = link;
    for (const hear of [...this.#watchers]) hear(link);
  }
}

function over(reason: string): RpcError {
  const hint = "Sign in again; what you were editing is still here.";
  return new RpcError({ code: "UNAUTHENTICATED", message: reason || "the session has ended", details: { hint } });
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(aborted())), { once: true });
  });
}
