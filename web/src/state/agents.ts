// The workspaces that one may look into, and the one that is looked into now.
import { createMemo, createRoot, createSignal } from "solid-js";
import type { Agent } from "../../../clients/typescript/src/schema.ts";
import { may, onConnected, rpc } from "./connection.ts";
import { go, route } from "./route.ts";
import { ownAgent } from "./session.ts";
import { failed } from "./toasts.ts";

/** The most agents that are listed in the picker; more are found by typing their name. */
const MOST = 1_000;

const [agents, setAgents] = createSignal<Agent[]>([]);
const [known, setKnown] = createSignal(false);
export { agents, known };

/** The agent whose workspace is shown. */
export const agent = createRoot(() => createMemo(() => route().agent ?? ownAgent()));

/** What is known of it. */
export const current = createRoot(() => createMemo(() => agents().find((one) => one.id === agent())));

/** Shows another workspace. */
export function choose(id: string): void {
  go({ agent: id });
}

/** Reads the list again. */
export async function refresh(): Promise<void> {
  if (!may("agents.list")) {
    // A token of one agent may not list; it knows its own.
    setKnown(true);
    const own = ownAgent();
    if (own !== undefined && route().agent === undefined) go({ agent: own }, "replace");
    return;
  }
  const all: Agent[] = [];
  let cursor: string | undefined;
  do {
    const page = await rpc.call("agents.list", cursor === undefined ? { limit: 500 } : { limit: 500, cursor });
    all.push(...(page.agents as Agent[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < MOST);
  setAgents(all);
  setKnown(true);
  const first = all[0];
  if (route().agent === undefined && first) go({ agent: first.id }, "replace");
}

onConnected(() => void refresh().catch(failed("The workspaces could not be listed")));
