// Asks a gateway as an agent would that has nothing to do with the page.
import type { Gateway } from "./gateway.ts";

/** Calls a tool in the workspace of an agent, over HTTP. */
export async function tool(gateway: Gateway, name: string, params: object, token = gateway.operator, agent = "default"): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${gateway.address}/v1/workspaces/${agent}/${name}`, { method: "POST", headers, body: JSON.stringify(params) });
  return (await answer.json()) as Record<string, unknown>;
}
