// A client of a Garth gateway over HTTP: any runtime that has fetch can use it.
//
// What a tool or a method takes and answers stands in schema.ts, which is generated.
import type { Agent, Agents, Error as ErrorBody, Methods, NewAgent, Settings, Tools, Uploaded } from "./schema.ts";

export type * from "./schema.ts";

/** Where the gateway is and who asks. */
export interface Options {
  /** The gateway's address, such as http://127.0.0.1:7717. */
  url: string;
  /** A token; without one a browser's session is used. */
  token?: string;
  /** What the audit calls the session of the agent. */
  session?: string;
  /** What requests are sent with; the runtime's own without. */
  fetch?: typeof fetch;
}

/** What may be said with each call. */
export interface CallOptions {
  /** Gives the call up; a command that it runs is killed. */
  signal?: AbortSignal;
  /** A name for the call, so that it happens at most once. */
  idempotencyKey?: string;
}

/** What a command printed, as it came. */
export interface Output {
  stream: "stdout" | "stderr";
  text: string;
  position: number;
  next: number;
  missing_bytes: number;
}

/** A file that was read. */
export interface FileContent {
  bytes: Uint8Array;
  /** To be sent back as ifMatch. */
  version: string | null;
  type: string;
  /** The names of the secrets that placeholders stand for. */
  redacted: string[];
}

/** Why a call was refused or failed. */
export class GarthError extends Error {
  readonly status: number;
  readonly code: ErrorBody["error"]["code"];
  readonly details: ErrorBody["error"]["details"];
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: ErrorBody) {
    super(body.error.message);
    this.name = "GarthError";
    this.status = status;
    this.code = body.error.code;
    this.details = body.error.details;
    this.retryAfterMs = body.error.retryAfterMs;
  }
}

export class Garth {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The workspace of an agent. */
  workspace(agent: string): Workspace {
    return new Workspace(this, agent);
  }

  /** Calls a method: of `worktree.*`, or of the gateway itself, such as `tokens.create`. */
  async rpc<M extends keyof Methods>(
    method: M,
    params: Methods[M]["params"],
    options: CallOptions = {},
  ): Promise<Methods[M]["result"]> {
    return await json(await this.send("POST", `/v1/rpc/${method}`, { ...options, json: params }));
  }

  /** Lists agents, in pages. */
  async agents(page: { cursor?: string; limit?: number } = {}): Promise<Agents> {
    const query = new URLSearchParams();
    if (page.cursor !== undefined) query.set("cursor", page.cursor);
    if (page.limit !== undefined) query.set("limit", String(page.limit));
    return await json(await this.send("GET", `/v1/workspaces?${query}`));
  }

  /** Makes an agent and its workspace. */
  async create(agent: NewAgent, options: CallOptions = {}): Promise<Agent> {
    return await json(await this.send("POST", "/v1/workspaces", { ...options, json: agent }));
  }

  /** Changes what is set up for an agent. */
  async update(agent: string, settings: Settings, options: CallOptions = {}): Promise<Agent> {
    const path = `/v1/workspaces/${encodeURIComponent(agent)}`;
    return await json(await this.send("PATCH", path, { ...options, json: settings }));
  }

  /** Forgets an agent; its files are left. */
  async forget(agent: string): Promise<void> {
    await this.send("DELETE", `/v1/workspaces/${encodeURIComponent(agent)}`);
  }

  /** Sends a request; what is no success is thrown as a GarthError. */
  async send(method: string, path: string, request: Request = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    const { token, session, url } = this.#options;
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    if (session !== undefined) headers.set("x-agent-session-id", session);
    if (request.idempotencyKey !== undefined) headers.set("idempotency-key", request.idempotencyKey);
    const init: RequestInit = { method, headers };
    if (request.signal) init.signal = request.signal;
    if (request.json !== undefined) {
      headers.set("content-type", "application/json");
      init.body = JSON.stringify(request.json);
    } else if (request.body !== undefined) {
      init.body = request.body;
    }
    const ask = this.#options.fetch ?? fetch;
    const response = await ask(new URL(path, url), init);
    if (response.ok) return response;
    throw new GarthError(response.status, (await response.json()) as ErrorBody);
  }
}

/** A request as `send` takes it. */
export interface Request extends CallOptions {
  headers?: Record<string, string>;
  json?: unknown;
  body?: BodyInit;
}

export class Workspace {
  readonly #garth: Garth;
  readonly #path: string;

  constructor(garth: Garth, agent: string) {
    this.#garth = garth;
    this.#path = `/v1/workspaces/${encodeURIComponent(agent)}`;
  }

  /** Runs a tool. A command that fails is an answer, not an error. */
  async call<T extends keyof Tools>(
    tool: T,
    params: Tools[T]["params"],
    options: CallOptions = {},
  ): Promise<Tools[T]["result"]> {
    return await json(await this.#garth.send("POST", `${this.#path}/${tool}`, { ...options, json: params }));
  }

  /** Runs a tool, and hears what its command prints while it runs. */
  async stream<T extends keyof Tools>(
    tool: T,
    params: Tools[T]["params"],
    hear: (output: Output) => void,
    options: CallOptions = {},
  ): Promise<Tools[T]["result"]> {
    const headers = { accept: "text/event-stream" };
    const request = { ...options, headers, json: params };
    const response = await this.#garth.send("POST", `${this.#path}/${tool}`, request);
    for await (const { name, data } of events(response)) {
      if (name === "output") hear(data as Output);
      if (name === "result") return data as Tools[T]["result"];
      if (name === "error") throw new GarthError(response.status, data as ErrorBody);
    }
    throw new TypeError("the stream ended before its result");
  }

  /** Reads a file as bytes; `redact: false` is for operators. */
  async readFile(path: string, options: CallOptions & { redact?: boolean } = {}): Promise<FileContent> {
    const query = options.redact === undefined ? "" : `?redact=${options.redact}`;
    const response = await this.#garth.send("GET", this.#file(path) + query, options);
    const names = response.headers.get("x-garth-redacted");
    return {
      bytes: new Uint8Array(await response.arrayBuffer()),
      version: response.headers.get("etag"),
      type: response.headers.get("content-type") ?? "application/octet-stream",
      redacted: names === null ? [] : names.split(", "),
    };
  }

  /** Writes a file as bytes: whole or not at all. */
  async writeFile(path: string, body: BodyInit, options: CallOptions & Held = {}): Promise<Uploaded> {
    const request = { ...options, headers: conditions(options), body };
    return await json(await this.#garth.send("PUT", this.#file(path), request));
  }

  /** Removes a file. */
  async removeFile(path: string, options: CallOptions & Held = {}): Promise<void> {
    await this.#garth.send("DELETE", this.#file(path), { ...options, headers: conditions(options) });
  }

  #file(path: string): string {
    return `${this.#path}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
  }
}

/** What must hold of a file for it to be changed. */
export interface Held {
  /** The version that it has, or * for any. */
  ifMatch?: string;
  /** A version that it must not have, or * for no file at all. */
  ifNoneMatch?: string;
}

function conditions(held: Held): Record<string, string> {
  const headers: Record<string, string> = {};
  if (held.ifMatch !== undefined) headers["if-match"] = held.ifMatch;
  if (held.ifNoneMatch !== undefined) headers["if-none-match"] = held.ifNoneMatch;
  return headers;
}

async function json<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

async function* events(response: Response): AsyncGenerator<{ name: string; data: unknown }> {
  if (!response.body) return;
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}
