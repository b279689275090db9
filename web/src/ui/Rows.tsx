// A long list of rows of one height: only those in sight are in the page.
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, type JSX } from "solid-js";

export interface RowsProps<T> {
  each: readonly T[];
  children: (item: T, index: number) => JSX.Element;
  /** The row that must be in sight. */
  at?: number;
  class?: string;
  role?: JSX.HTMLAttributes<HTMLDivElement>["role"];
  id?: string;
  label: string;
  /** Takes the focus itself, and tells which row is meant. */
  active?: string | undefined;
  tabIndex?: number;
  busy?: boolean;
  onKeyDown?: (event: KeyboardEvent) => void;
  onEnd?: () => void;
  ref?: (element: HTMLDivElement) => void;
  /** Another height than the usual, in pixels. */
  height?: number;
}

/** Rows above and below what is in sight that are there already. */
const MORE = 8;

/** The height of a row as the styles name it. */
export function rowHeight(): number {
  return parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 26;
}

export function Rows<T>(props: RowsProps<T>) {
  let box!: HTMLDivElement;
  const height = () => props.height ?? usual;
  const usual = rowHeight();
  const [top, setTop] = createSignal(0);
  const [seen, setSeen] = createSignal(400);
  onMount(() => {
    const watch = new ResizeObserver(() => setSeen(box.clientHeight));
    watch.observe(box);
    onCleanup(() => watch.disconnect());
  });
  const first = createMemo(() => Math.max(0, Math.floor(top() / height()) - MORE));
  const last = createMemo(() => Math.min(props.each.length, Math.ceil((top() + seen()) / height()) + MORE));
  const shown = createMemo(() => Array.from({ length: Math.max(0, last() - first()) }, (_, at) => first() + at));
  createEffect(() => {
    if (last() >= props.each.length - MORE && props.each.length > 0) props.onEnd?.();
  });
  createEffect(on(() => props.at, (at) => {
    if (at === undefined || at < 0) return;
    const from = at * height();
    if (from < box.scrollTop) box.scrollTop = from;
    else if (from + height() > box.scrollTop + box.clientHeight) box.scrollTop = from + height() - box.clientHeight;
  }));
  return (
    <div
      ref={(element) => ((box = element), props.ref?.(element))}
      class={`rows ${props.class ?? ""}`}
      role={props.role}
      id={props.id}
      aria-label={props.label}
      aria-busy={props.busy ? "true" : undefined}
      aria-activedescendant={props.active}
      tabIndex={props.tabIndex}
      onKeyDown={(event) => props.onKeyDown?.(event)}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="rows-all" role="presentation" style={{ height: `${props.each.length * height()}px` }}>
        <For each={shown()}>
          {(index) => (
            <div class="rows-one" role="presentation" style={{ transform: `translateY(${index * height()}px)`, height: `${height()}px` }}>
              {props.each[index] === undefined ? undefined : props.children(props.each[index] as T, index)}
            </div>
          )}
        </For>
      </div>
    </div>
  );
}

/** Where a key leads in a list; nothing for keys that lead nowhere. */
export function step(event: KeyboardEvent, at: number, length: number): number | undefined {
  if (length === 0 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 12, PageUp: at - 12, Home: 0, End: length - 1 }[event.key];
  return to === undefined ? undefined : Math.max(0, Math.min(length - 1, to));
}
