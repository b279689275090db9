// A menu that opens from a button; items are plain data, so that keyboard and mouse see the same.
//
// Until it is opened for the first time there is the button alone: what menus are made of is larger than the page
// around them, and is fetched when it is asked for.
import { createSignal, lazy, onMount, Show, Suspense, type JSX } from "solid-js";
import type { IconName } from "./Icon.tsx";

export type Item =
  | { label: string; icon?: IconName; keys?: string; run: () => void; danger?: boolean; disabled?: boolean; checked?: boolean }
  | "line";

export interface MenuProps {
  /** What it is called where its content does not say it. */
  label?: string;
  items: Item[];
  class?: string;
  children: JSX.Element;
  title?: string;
  placement?: "bottom-start" | "bottom-end";
}

/** What opened it: a pointer, or the key that says at which end to begin. */
export type Opened = "pointer" | "ArrowDown" | "ArrowUp";

const FullMenu = lazy(() => import("./FullMenu.tsx"));

export function Menu(props: MenuProps) {
  const [by, setBy] = createSignal<Opened>();
  return (
    <Show when={by()} fallback={<Trigger {...props} onOpen={setBy} />} keyed>
      {(by) => <Suspense fallback={<Trigger {...props} waits />}><FullMenu {...props} by={by} /></Suspense>}
    </Show>
  );
}

/** The button while there is no menu yet; it keeps the focus while it waits for one. */
function Trigger(props: MenuProps & { onOpen?: (by: Opened) => void; waits?: boolean }) {
  let button!: HTMLButtonElement;
  onMount(() => props.waits && button.focus());
  return (
    <button
      ref={button}
      type="button"
      class={props.class ?? "icon-button"}
      aria-label={props.label}
      title={props.title ?? props.label ?? ""}
      aria-haspopup="true"
      aria-expanded="false"
      aria-busy={props.waits ? "true" : undefined}
      // A click without a pointer is Enter or the space bar.
      onClick={(event) => props.onOpen?.(event.detail > 0 ? "pointer" : "ArrowDown")}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        props.onOpen?.(event.key);
      }}
    >
      {props.children}
    </button>
  );
}
