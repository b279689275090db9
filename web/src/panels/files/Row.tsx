// One row of the tree: what it is, how large, when it changed, and a soft light where somebody just wrote.
import { createSignal } from "solid-js";
import { nameOf } from "../../state/tabs.ts";
import { ago, moment, size } from "../../ui/format.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { move, writable } from "./actions.ts";
import { cutPath } from "./cutting.ts";
import { directoryOf } from "./items.ts";
import { FRESH, fresh, joined, selected, version } from "./store.ts";
import type { Node } from "./tree.ts";

/** What is dragged inside the page, so that it is no upload. */
const DRAGGED = "application/x-garth-path";

// One clock for all rows: fresh changes say how long ago they were.
const [now, setNow] = createSignal(Date.now());
setInterval(() => fresh.size > 0 && setNow(Date.now()), 1_000);

/** The id of a row in the document. */
export function rowId(node: Node): string {
  return `row-${encodeURIComponent(node.path)}`;
}

export function Row(props: { node: Node; onOpen: (node: Node, preview: boolean) => void }) {
  const node = props.node;
  const open = () => (version(), node.open);
  const since = () => {
    version();
    const at = fresh.get(node.path);
    if (at === undefined || Math.max(now(), Date.now()) - at > FRESH) return undefined;
    return at;
  };
  const fact = () => {
    const light = since();
    if (light !== undefined) return ago(light, now());
    return version(), node.kind === "file" ? size(node.size) : "";
  };
  const icon = (): IconName => (node.type ? "link" : node.kind === "dir" ? (open() ? "folderOpen" : "folder") : "file");
  const [target, setTarget] = createSignal(false);
  const accepts = (event: DragEvent) => event.dataTransfer?.types.includes(DRAGGED) && writable();
  const drop = (event: DragEvent) => {
    setTarget(false);
    const from = event.dataTransfer?.getData(DRAGGED);
    if (!from) return;
    event.preventDefault();
    const to = directoryOf(node.path);
    if (to !== from && !to.startsWith(`${from}/`)) void move(from, joined(to, nameOf(from)));
  };
  const about = () => {
    version();
    const parts = [node.path, node.type, node.kind === "file" ? size(node.size) : "", node.modified ? `changed ${moment(node.modified)}` : ""];
    const light = since();
    if (light !== undefined) parts.push(`written by the agent or another client ${ago(light, now())} ago`);
    return parts.filter(Boolean).join("\n");
  };
  return (
    <div
      class="row"
      role="treeitem"
      id={rowId(node)}
      data-path={node.path}
      data-depth={Math.min(node.depth, 24)}
      aria-level={node.depth}
      aria-posinset={(version(), node.position)}
      aria-setsize={(version(), node.parent?.partial ? -1 : (node.parent?.children?.length ?? 1))}
      aria-expanded={node.kind === "dir" ? open() : undefined}
      aria-selected={selected() === node.path}
      classList={{ selected: selected() === node.path, cut: cutPath() === node.path, fresh: since() !== undefined, target: target(), hidden: node.name.startsWith(".") }}
      title={about()}
      draggable={writable()}
      onClick={() => props.onOpen(node, true)}
      onDblClick={() => node.kind === "file" && props.onOpen(node, false)}
      onDragStart={(event) => {
        event.dataTransfer?.setData(DRAGGED, node.path);
        if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
      }}
      onDragOver={(event) => accepts(event) && (event.preventDefault(), setTarget(true))}
      onDragLeave={() => setTarget(false)}
      onDrop={drop}
    >
      <span class="twist">{node.kind === "dir" && <Icon name="chevron" class={open() ? "open" : ""} />}</span>
      <Icon name={icon()} class={node.kind === "dir" ? "dir" : ""} />
      <bdi class="row-name">{node.name}</bdi>{" "}
      <span class={since() === undefined ? "row-fact" : "row-live"}>{fact()}</span>
    </div>
  );
}
