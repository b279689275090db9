// One row of the tree: what it is, how large, when it changed, and a soft light where somebody just wrote.
import { createMemo, createRenderEffect, createSignal, Show } from "solid-js";
import { badgeWord, gitBadge } from "../../state/git.ts";
import { ago, moment, size } from "../../ui/format.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { writable } from "./actions.ts";
import { isCut } from "./cutting.ts";
import type { Slot } from "./insight.ts";
import { isChosen } from "./selection.ts";
import { FRESH, fresh, selected, version } from "./store.ts";
import type { Node } from "./tree.ts";

// One clock for all rows: fresh changes say how long ago they were.
const [now, setNow] = createSignal(Date.now());
setInterval(() => fresh.size > 0 && setNow(Date.now()), 1_000);

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

/** What a row tells of its entry in attributes; nothing means that it has none such. */
function attributes(node: Node): Record<string, string | undefined> {
  return {
    "data-path": node.path,
    "data-depth": String(Math.min(node.depth, 24)),
    "aria-level": String(node.depth),
    "aria-posinset": String(node.position),
    "aria-setsize": String(node.parent?.partial ? -1 : (node.parent?.children?.length ?? 1)),
    "aria-expanded": node.kind === "dir" ? String(node.open) : undefined,
  };
}

/** A row takes one entry after the other as the tree is scrolled, so everything in it follows its slot. */
export function Row(props: { slot: Slot; target: string | undefined }) {
  // The same entry may have changed within.
  const node = createMemo(() => (version(), props.slot.node()), undefined, { equals: false });
  const since = () => (fresh.size === 0 ? (version(), undefined) : (now(), freshSince(node())));
  const open = () => node().open;
  const fact = () => {
    const light = since();
    if (light !== undefined) return ago(light);
    return node().kind === "file" ? size(node().size) : "";
  };
  const badge = () => gitBadge(node().path);
  const icon = (): IconName => (node().type ? "link" : node().kind === "dir" ? (open() ? "folderOpen" : "folder") : "file");
  // By hand and in one go: it is what a fast scroll consists of, and most of it stays as it was.
  const follow = (row: HTMLElement) =>
    createRenderEffect((was: Record<string, string | undefined>) => {
      const is = attributes(node());
      for (const name in is) {
        const value = is[name];
        if (value === was[name]) continue;
        if (value === undefined) row.removeAttribute(name);
        else row.setAttribute(name, value);
      }
      return is;
    }, {});
  const chosen = createMemo(() => isChosen(node().path));
  return (
    <div
      ref={follow}
      id={props.slot.id}
      class="row"
      role="treeitem"
      aria-selected={chosen()}
      classList={{ selected: chosen(), current: selected() === node().path, cut: isCut(node().path), fresh: since() !== undefined, target: props.target === node().path, hidden: node().name.startsWith(".") }}
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
