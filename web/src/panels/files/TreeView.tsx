// The tree as it is seen: only the rows on the screen exist, the keyboard works as in every tree (WAI-ARIA).
import { createEffect, createMemo, createSignal, Index, lazy, on, onCleanup, onMount, Show, Suspense } from "solid-js";
import { active, nameOf, openFile } from "../../state/tabs.ts";
import { move, remove, rename, writable } from "./actions.ts";
import { cut, paste } from "./cutting.ts";
import { directoryOf, itemsFor } from "./items.ts";
import { aboutNode, Row, rowId } from "./Row.tsx";
import { expand, joined, reveal, selected, setSelected, tree } from "./store.ts";
import type { Node } from "./tree.ts";

/** Rows beyond the edges that exist too, so that scrolling shows no gap. */
const BEYOND = 4;
/** What is dragged inside the page, so that it is no upload. */
const DRAGGED = "application/x-garth-path";
/** How long typed letters belong together, in milliseconds. */
const TYPING = 700;

const PointMenu = lazy(() => import("../../ui/PointMenu.tsx"));

export function TreeView() {
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [rowHeight, setRowHeight] = createSignal(26);
  let scroller!: HTMLDivElement;
  const rows = () => tree().rows;
  const range = createMemo(() => {
    const first = Math.max(0, Math.floor(top() / rowHeight()) - BEYOND);
    return { first, last: Math.min(rows().length, Math.ceil((top() + height()) / rowHeight()) + BEYOND) };
  });
  const shown = () => rows().slice(range().first, range().last);
  // Looked for once a change, not once a frame: there may be a hundred thousand.
  const at = createMemo(() => rows().findIndex((node) => node.path === selected()));

  onMount(() => {
    const measure = () => {
      setHeight(scroller.clientHeight);
      setRowHeight(parseFloat(getComputedStyle(scroller).getPropertyValue("--row")) || 26);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    onCleanup(() => observer.disconnect());
  });

  // The file in front is the one that is selected, and it is in sight.
  createEffect(
    on(active, (tab) => {
      if (tab?.shown.kind === "file" && tab.shown.path !== selected()) void reveal(tab.shown.path).then(() => inSight());
    }),
  );

  const inSight = () => {
    const place = at() * rowHeight();
    if (place < 0) return;
    if (place < scroller.scrollTop) scroller.scrollTop = place;
    else if (place + rowHeight() > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = place + rowHeight() - scroller.clientHeight;
  };
  const go = (to: number) => {
    const node = rows()[Math.min(rows().length - 1, Math.max(0, to))];
    if (!node) return;
    setSelected(node.path);
    inSight();
  };
  const activate = (node: Node, preview: boolean) => {
    setSelected(node.path);
    if (node.kind === "dir") expand(node, !node.open);
    else openFile(node.path, { preview });
  };

  // One listener for all rows, whichever they are just now.
  const under = (event: Event, act: (node: Node, row: HTMLElement) => void) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-path]");
    const node = row && tree().find(row.dataset["path"] ?? "");
    if (node) act(node, row);
  };
  const [target, setTarget] = createSignal<string>();
  const drag = (event: DragEvent, node: Node) => {
    event.dataTransfer?.setData(DRAGGED, node.path);
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
  };
  const over = (event: DragEvent, node: Node) => {
    if (!event.dataTransfer?.types.includes(DRAGGED) || !writable()) return;
    event.preventDefault();
    setTarget(node.path);
  };
  const drop = (event: DragEvent, node: Node) => {
    setTarget(undefined);
    const from = event.dataTransfer?.getData(DRAGGED);
    if (!from) return;
    event.preventDefault();
    const to = directoryOf(node.path);
    if (to !== from && !to.startsWith(`${from}/`)) void move(from, joined(to, nameOf(from)));
  };

  let typed = "";
  let typing: ReturnType<typeof setTimeout> | undefined;
  const typeAhead = (letter: string) => {
    clearTimeout(typing);
    typing = setTimeout(() => (typed = ""), TYPING);
    const begins = (typed += letter.toLowerCase());
    const all = rows();
    const from = begins.length === 1 ? at() + 1 : Math.max(0, at());
    for (let step = 0; step < all.length; step += 1) {
      const to = (from + step) % all.length;
      if (all[to]!.name.toLowerCase().startsWith(begins)) return go(to);
    }
  };

  const keys = (event: KeyboardEvent) => {
    const node = rows()[at()];
    const page = Math.max(1, Math.floor(height() / rowHeight()) - 1);
    const mod = event.ctrlKey || event.metaKey;
    const acts: Record<string, (() => void) | undefined> = mod
      ? { x: () => writable() && cut(node?.path), v: () => void paste(directoryOf(node?.path)) }
      : {
          ArrowDown: () => go(at() + 1),
          ArrowUp: () => go(at() < 0 ? 0 : at() - 1),
          PageDown: () => go(at() + page),
          PageUp: () => go(at() - page),
          Home: () => go(0),
          End: () => go(rows().length - 1),
          ArrowRight: () => {
            if (node?.kind !== "dir") return;
            if (node.open) go(at() + 1);
            else expand(node, true);
          },
          ArrowLeft: () => {
            if (node?.kind === "dir" && node.open) expand(node, false);
            else if (node?.parent?.parent) go(rows().indexOf(node.parent));
          },
          Enter: () => node && activate(node, false),
          " ": () => node && activate(node, true),
          "*": () => node?.parent?.children?.filter((one) => one.kind === "dir").forEach((one) => expand(one, true)),
          F2: () => node && writable() && void rename(node.path),
          Delete: () => node && writable() && (go(at() + 1), remove(node.path, node.kind)),
          Escape: () => cut(undefined),
        };
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (!mod && !event.altKey && event.key.length === 1) {
      event.preventDefault();
      typeAhead(event.key);
    }
  };

  const [menu, setMenu] = createSignal<{ x: number; y: number }>();
  const context = (event: MouseEvent) => {
    event.preventDefault();
    under(event, (node) => setSelected(node.path));
    setMenu({ x: event.clientX, y: event.clientY });
  };

  return (
    <>
      <div
        ref={scroller}
        class="tree"
        role="tree"
        tabIndex={0}
        aria-label="Files"
        aria-activedescendant={at() >= range().first && at() < range().last ? rowId(rows()[at()]!) : undefined}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={keys}
        onFocus={() => at() < 0 && go(0)}
        onClick={(event) => under(event, (node) => activate(node, true))}
        onDblClick={(event) => under(event, (node) => node.kind === "file" && activate(node, false))}
        onContextMenu={context}
        onMouseOver={(event) => under(event, (node, row) => (row.title = aboutNode(node)))}
        onDragStart={(event) => under(event, (node) => drag(event, node))}
        onDragOver={(event) => under(event, (node) => over(event, node))}
        onDragLeave={() => setTarget(undefined)}
        onDrop={(event) => under(event, (node) => drop(event, node))}
      >
        <div class="tree-whole" role="presentation" style={{ height: `${rows().length * rowHeight()}px` }}>
          <div class="tree-window" role="presentation" style={{ transform: `translateY(${range().first * rowHeight()}px)` }}>
            {/* Rows stay and take other entries, which is quicker than making them anew. */}
            <Index each={shown()}>{(node) => <Row node={node()} target={target() === node().path} />}</Index>
          </div>
        </div>
      </div>
      <Show when={menu()}>
        {(at) => <Suspense><PointMenu at={at()} items={selected() === undefined ? [] : itemsFor(selected()!)} /></Suspense>}
      </Show>
    </>
  );
}
