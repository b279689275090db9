// A menu and its button, opened by what woke it; fetched by the first that is opened.
import * as Kobalte from "@kobalte/core/dropdown-menu";
import { onMount } from "solid-js";
import type { MenuProps, Opened } from "./Menu.tsx";
import { MenuItems } from "./MenuItems.tsx";

export default function FullMenu(props: MenuProps & { by: Opened }) {
  let trigger!: HTMLButtonElement;
  // A dialog hides all that is not in it and keeps the focus; only another modal thing takes its place. Elsewhere a menu
  // is not modal: what keeps its focus would be found among its items. Whoever opens a menu is at its button.
  const modal = document.activeElement?.closest("[role=dialog]") !== null;
  onMount(() => {
    trigger.focus();
    if (props.by !== "pointer") trigger.dispatchEvent(new KeyboardEvent("keydown", { key: props.by, bubbles: true, cancelable: true }));
  });
  return (
    <Kobalte.Root defaultOpen={props.by === "pointer"} gutter={4} placement={props.placement ?? "bottom-start"} preventScroll={false} modal={modal}>
      <Kobalte.Trigger ref={trigger} class={props.class ?? "icon-button"} aria-label={props.label} title={props.title ?? props.label ?? ""}>
        {props.children}
      </Kobalte.Trigger>
      <Kobalte.Portal>
        <Kobalte.Content class="menu">
          <MenuItems items={props.items} />
        </Kobalte.Content>
      </Kobalte.Portal>
    </Kobalte.Root>
  );
}
