// The one connection of this page, and how it is, as a signal.
import { createSignal } from "solid-js";
import { RpcClient, type Link } from "../rpc/client.ts";

export const rpc = new RpcClient();

const [link, setLink] = createSignal<Link>(rpc.link);
rpc.onLink((now) => setLink(now));

/** How the connection is now. */
export { link };

/** Runs this with every connection that is made, the first and those after a break. */
export function onConnected(run: () => void): () => void {
  if (rpc.link.is === "open") run();
  return rpc.onLink((now) => {
    if (now.is === "open") run();
  });
}

/** Tells whether the gateway lets this caller call a method at all. */
export function may(method: string): boolean {
  const now = link();
  if (now.is === "open") allowed = new Set(now.hello.features.methods);
  return allowed.has(method);
}
// What was allowed stays known while the connection is away, so that nothing jumps.
let allowed = new Set<string>();
