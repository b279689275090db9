// The few things that go over HTTP: the browser's session, and bytes of files that need progress or a place in an <img>.
import { RpcError, type Failure } from "./errors.ts";

let bearer: string | undefined;

/** Says with which token requests are sent; without one the browser's session is used. */
export function useToken(token: string | undefined): void {
  bearer = token;
}

/** The headers of a request. */
export function authorization(): Record<string, string> {
  return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
}

/** Sends a request; what is no success is thrown as an RpcError. */
export async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(authorization())) headers.set(name, value);
  const response = await fetch(path, { ...init, method, headers });
  if (response.ok) return response;
  throw await failure(response);
}

/** Sends JSON and reads JSON. */
export async function sendJson<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return (await (await send(method, path, init)).json()) as T;
}

async function failure(response: Response): Promise<RpcError> {
  const body = (await response.json().catch(() => undefined)) as { error?: Failure } | undefined;
  return new RpcError(body?.error ?? { code: "INTERNAL", message: `the gateway answered ${response.status}` });
}

/** Where a file is fetched. */
export function fileAddress(agent: string, path: string): string {
  const parts = path.split("/").filter(Boolean).map(encodeURIComponent);
  return `/v1/workspaces/${encodeURIComponent(agent)}/files/${parts.join("/")}`;
}

/** Where a folder is fetched as an archive. */
export function archiveAddress(agent: string, path: string, format: "zip" | "tar" | "tar.zst"): string {
  const query = new URLSearchParams({ path, format });
  return `/v1/workspaces/${encodeURIComponent(agent)}/archive?${query}`;
}
