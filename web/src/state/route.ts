// Where one is, as the address says it: #/agent/path/of/file?line=12, so that going back and links work.
import { createSignal } from "solid-js";

export interface Route {
  agent?: string;
  /** The file that is looked at, from the root. */
  path?: string;
  line?: number;
}

const [route, setRoute] = createSignal<Route>(read());
export { route };

addEventListener("hashchange", () => setRoute(read()));

/** Goes elsewhere; `replace` leaves no step back. */
export function go(to: Route, how: "push" | "replace" = "push"): void {
  const address = written(to);
  if (address === location.hash || (address === "#/" && location.hash === "")) return;
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  setRoute(to);
}
addEventListener("popstate", () => setRoute(read()));

function written({ agent, path, line }: Route): string {
  if (agent === undefined) return "#/";
  const parts = [agent, ...(path === undefined ? [] : path.split("/").filter(Boolean))];
  const query = line === undefined ? "" : `?line=${line}`;
  return `#/${parts.map(encodeURIComponent).join("/")}${query}`;
}

function read(): Route {
  const [place = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [agent, ...path] = place.split("/").filter(Boolean).map(decoded);
  if (agent === undefined || agent.includes("=")) return {};
  const line = Number(new URLSearchParams(query).get("line"));
  const found: Route = { agent };
  if (path.length > 0) found.path = path.join("/");
  if (line > 0) found.line = line;
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
