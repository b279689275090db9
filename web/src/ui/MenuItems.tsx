// The items of an open menu, whichever way it was opened.
import * as Kobalte from "@kobalte/core/dropdown-menu";
import { For, Show } from "solid-js";
import { Icon } from "./Icon.tsx";
import type { Item } from "./Menu.tsx";

export function MenuItems(props: { items: Item[] }) {
  return (
    <For each={props.items}>
      {(item) => (
        <Show when={item !== "line" && item} fallback={<Kobalte.Separator class="menu-line" />} keyed>
          {(item) => (
            // Done when the menu is gone: what opens then has the focus, and gives it back to where the menu was opened.
            <Kobalte.Item class={item.danger ? "menu-item danger" : "menu-item"} disabled={item.disabled ?? false} onSelect={() => setTimeout(() => item.run())}>
              <span class="menu-icon">{item.checked ? <Icon name="check" /> : item.icon && <Icon name={item.icon} />}</span>
              <span class="menu-label">{item.label}</span>
              <Show when={item.keys}><kbd>{item.keys}</kbd></Show>
            </Kobalte.Item>
          )}
        </Show>
      )}
    </For>
  );
}
