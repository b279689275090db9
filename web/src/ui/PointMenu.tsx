// A menu at a point of the page: where one clicked with the other button, or where the menu key was pressed.
import * as Kobalte from "@kobalte/core/context-menu";
import { createEffect, on } from "solid-js";
import type { Item } from "./Menu.tsx";
import { MenuItems } from "./MenuItems.tsx";

export default function PointMenu(props: { /** A new one opens it anew. */ at: { x: number; y: number }; items: Item[]; onClose: () => void }) {
  let anchor!: HTMLElement;
  createEffect(
    // What those who hear it look at is not what opens it again.
    on(() => props.at, ({ x, y }) => {
      anchor.dispatchEvent(new MouseEvent("contextmenu", { clientX: x, clientY: y, bubbles: true, cancelable: true }));
    }),
  );
  return (
    <Kobalte.Root preventScroll={false} modal={false} overlap>
      <Kobalte.Trigger as="span" ref={anchor} hidden />
      <Kobalte.Portal>
        {/* What opened it cannot take the focus back: it is a point. */}
        <Kobalte.Content class="menu" onCloseAutoFocus={(event: Event) => (event.preventDefault(), queueMicrotask(() => props.onClose()))}>
          <MenuItems items={props.items} />
        </Kobalte.Content>
      </Kobalte.Portal>
    </Kobalte.Root>
  );
}
