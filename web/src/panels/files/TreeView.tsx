// The tree as it is seen: only the rows on the screen exist, the keyboard works as in every tree (WAI-ARIA).
import { createEffect, createMemo, createSignal, For, lazy, on, onCleanup, onMount, Show, Suspense } from "solid-js";
import type { Item } from "../../ui/Menu.tsx";
import { active, openFile } from "../../state/tabs.ts";
import { moveInto, rename, writable } from "./actions.ts";
import { cut, paste } from "./cutting.ts";
import { inSight } from "./insight.ts";
import { directoryOf, items, itemsFor, removePicked } from "./items.ts";
import { aboutNode, Row } from "./Row.tsx";
import { extendTo, flip, isChosen, pick, picked, pickFolder, pickOne, walkTo } from "./selection.ts";
import { expand, reveal, selected, tree } from "./store.ts";
import type { Node } from "./tree.ts";

/** Rows beyond the edges that exist too, so that scrolling shows no gap. */
const BEYOND = 4;
/** What is dragged inside the page, so that it is no upload. */
const DRAGGED = "application/x-garth-paths";
/** How long typed letters belong together, in milliseconds. */
const TYPING = 700;

const PointMenu = lazy(() => import("../../ui/PointMenu.tsx"));

export function TreeView() {
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [rowHeight, setRowHeight] = createSignal(26);
  let scroller!: HTMLDivElement;
  const rows = () => tree().rows;
  // Always as many rows, so that none is made or dropped by a scroll.
  const many = createMemo(() => Math.min(rows().length, Math.ceil(height() / rowHeight()) + 1 + 2 * BEYOND));
  const first = createMemo(() => Math.max(0, Math.min(rows().length - many(), Math.floor(top() / rowHeight()) - BEYOND)));
  const slots = inSight(rows, first, many);
  // Looked for once a change, not once a frame: there may be a hundred thousand.
  const at = createMemo(() => rows().findIndex((node) => node.path === selected()));

  onMount(() => {
    const measure = () => {
      setHeight(scroller.clientHeight);
      setRowHeight(parseFloat(getComputedStyle(scroller).getPropertyValue("--row")) || 26);
    };
    // It measures at once, when the layout is there anyway.
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    onCleanup(() => observer.disconnect());
  });

  // The file in front is the one that is selected, and it is in sight.
  createEffect(
    on(active, (tab) => {
      if (tab?.shown.kind === "file" && tab.shown.path !== selected()) void reveal(tab.shown.path).then(() => bring());
    }),
  );

  const bring = () => {
    const place = at() * rowHeight();
    if (place < 0) return;
    if (place < scroller.scrollTop) scroller.scrollTop = place;
    else if (place + rowHeight() > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = place + rowHeight() - scroller.clientHeight;
  };
  const go = (to: number, choose: (path: string) => void = pick) => {
    const node = rows()[Math.min(rows().length - 1, Math.max(0, to))];
    if (!node) return;
    choose(node.path);
    bring();
  };
  const activate = (node: Node, preview: boolean) => {
    pick(node.path);
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
  const click = (event: MouseEvent, node: Node) => {
    if (event.shiftKey) extendTo(node.path);
    else if (event.ctrlKey || event.metaKey) flip(node.path);
    else activate(node, true);
  };
  const drag = (event: DragEvent, node: Node) => {
    if (!isChosen(node.path)) pick(node.path);
    event.dataTransfer?.setData(DRAGGED, JSON.stringify(picked().map((one) => one.path)));
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
  };
  const over = (event: DragEvent, node: Node) => {
    if (!event.dataTransfer?.types.includes(DRAGGED) || !writable()) return;
    event.preventDefault();
    setTarget(node.path);
  };
  const drop = (event: DragEvent, node: Node) => {
    setTarget(undefined);
    const paths = event.dataTransfer?.getData(DRAGGED);
    if (!paths) return;
    event.preventDefault();
    void moveInto(JSON.parse(paths) as string[], directoryOf(node.path));
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
    const steps: Record<string, number> = {
      ArrowDown: at() + 1,
      ArrowUp: at() < 0 ? 0 : at() - 1,
      PageDown: at() + page,
      PageUp: at() - page,
      Home: 0,
      End: rows().length - 1,
    };
    const step = steps[event.key];
    // Shift takes along what lies between, Control leaves what is chosen.
    const walk = step === undefined || event.altKey ? undefined : () => go(step, event.shiftKey ? extendTo : mod ? walkTo : pick);
    const acts: Record<string, (() => void) | undefined> = mod
      ? {
          a: () => node && pickFolder(node),
          x: () => writable() && cut(picked()),
          v: () => void paste(directoryOf(node?.path)),
          " ": () => node && flip(node.path),
        }
      : {
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
          " ": () => node && (event.shiftKey ? extendTo(node.path) : activate(node, true)),
          "*": () => node?.parent?.children?.filter((one) => one.kind === "dir").forEach((one) => expand(one, true)),
          F2: () => node && writable() && void rename(node.path),
          F10: event.shiftKey ? () => menuAtRow() : undefined,
          ContextMenu: () => menuAtRow(),
          Delete: () => writable() && removePicked(),
          Escape: () => (cut([]), pickOne()),
        };
    const act = walk ?? acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (!mod && !event.altKey && event.key.length === 1) {
      event.preventDefault();
      typeAhead(event.key);
    }
  };

  const [menu, setMenu] = createSignal<{ x: number; y: number; items: Item[] }>();
  const context = (event: MouseEvent) => {
    event.preventDefault();
    // The keyboard's has no pointer, and means the row it is at.
    if ((event as PointerEvent).pointerType === "") return menuAtRow();
    let on = false;
    under(event, (node) => {
      on = true;
      if (!isChosen(node.path)) pick(node.path);
    });
    setMenu({ x: event.clientX, y: event.clientY, items: on ? items() : itemsFor(undefined) });
  };
  const menuAtRow = () => {
    const row = slots()[at() - first()];
    const box = row && document.getElementById(row.id)?.getBoundingClientRect();
    if (box) setMenu({ x: box.left + 24, y: box.bottom, items: items() });
  };

  return (
    <>
      <div
        ref={scroller}
        class="tree"
        role="tree"
        tabIndex={0}
        aria-label="Files"
        aria-multiselectable="true"
        aria-activedescendant={slots()[at() - first()]?.id}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={keys}
        onFocus={() => at() < 0 && go(0)}
        onClick={(event) => under(event, (node) => click(event, node))}
        onDblClick={(event) => under(event, (node) => node.kind === "file" && activate(node, false))}
        onContextMenu={context}
        onMouseOver={(event) => under(event, (node, row) => (row.title = aboutNode(node)))}
        onDragStart={(event) => under(event, (node) => drag(event, node))}
        onDragOver={(event) => under(event, (node) => over(event, node))}
        onDragLeave={() => setTarget(undefined)}
        onDrop={(event) => under(event, (node) => drop(event, node))}
      >
        <div class="tree-whole" role="presentation" style={{ height: `${rows().length * rowHeight()}px` }}>
          <div class="tree-window" role="presentation" style={{ transform: `translateY(${first() * rowHeight()}px)` }}>
            <For each={slots()}>{(slot) => <Row slot={slot} target={target()} />}</For>
          </div>
        </div>
      </div>
      <Show when={menu()}>
        {(at) => <Suspense><PointMenu at={at()} items={at().items} onClose={() => document.activeElement === document.body && scroller.focus()} /></Suspense>}
      </Show>
    </>
  );
}
