// One row of the tree: what it is, how large, when it changed, and a soft light where somebody just wrote.
import { createSignal, Show } from "solid-js";
import { badgeWord, gitBadge } from "../../state/git.ts";
import { ago, moment, size } from "../../ui/format.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { writable } from "./actions.ts";
import { cutPath } from "./cutting.ts";
import { FRESH, fresh, selected, version } from "./store.ts";
import type { Node } from "./tree.ts";

// One clock for all rows: fresh changes say how long ago they were.
const [now, setNow] = createSignal(Date.now());
setInterval(() => fresh.size > 0 && setNow(Date.now()), 1_000);

/** The id of a row in the document. */
export function rowId(node: Node): string {
  return `row-${encodeURIComponent(node.path)}`;
}

/** All that a tooltip says; asked for when the mouse is there, since dates are slow to write. */
export function aboutNode(node: Node): string {
  const parts = [node.path, node.type, node.kind === "file" ? size(node.size) : "", node.modified ? `changed ${moment(node.modified)}` : ""];
  const light = freshSince(node);
  if (light !== undefined) parts.push(`written by the agent or another client ${ago(light)} ago`);
  return parts.filter(Boolean).join("\n");
}

function freshSince(node: Node): number | undefined {
  const at = fresh.get(node.path);
  return at === undefined || Date.now() - at > FRESH ? undefined : at;
}

/** A row takes one entry after the other as the tree is scrolled, so everything in it follows `props.node`. */
export function Row(props: { node: Node; target: boolean }) {
  const node = () => (version(), props.node);
  const since = () => (fresh.size === 0 ? (version(), undefined) : (now(), freshSince(node())));
  const open = () => node().open;
  const fact = () => {
    const light = since();
    if (light !== undefined) return ago(light);
    return node().kind === "file" ? size(node().size) : "";
  };
  const badge = () => gitBadge(node().path);
  const icon = (): IconName => (node().type ? "link" : node().kind === "dir" ? (open() ? "folderOpen" : "folder") : "file");
  return (
    <div
      class="row"
      role="treeitem"
      id={rowId(node())}
      data-path={node().path}
      data-depth={Math.min(node().depth, 24)}
      aria-level={node().depth}
      aria-posinset={node().position}
      aria-setsize={node().parent?.partial ? -1 : (node().parent?.children?.length ?? 1)}
      aria-expanded={node().kind === "dir" ? open() : undefined}
      aria-selected={selected() === node().path}
      classList={{ selected: selected() === node().path, cut: cutPath() === node().path, fresh: since() !== undefined, target: props.target, hidden: node().name.startsWith(".") }}
      draggable={writable()}
    >
      <span class="twist"><Show when={node().kind === "dir"}><Icon name="chevron" class={open() ? "open" : ""} /></Show></span>
      <Icon name={icon()} class={node().kind === "dir" ? "dir" : ""} />
      <bdi class="row-name">{node().name}</bdi>{" "}
      <Show when={badge()}>
        {(letter) => <><b class={`row-badge ${letter()}`} aria-hidden="true">{letter()}</b><span class="sr">{badgeWord(letter())} </span></>}
      </Show>
      <span class={since() === undefined ? "row-fact" : "row-live"}>{fact()}</span>
    </div>
  );
}
