// The items of an open menu, whichever way it was opened.
import * as Kobalte from "@kobalte/core/dropdown-menu";
import { Index, Show } from "solid-js";
import { Icon } from "./Icon.tsx";
import type { Item } from "./Menu.tsx";

export function MenuItems(props: { items: Item[] }) {
  return (
    // By their place: what changes while the menu is open changes where it stands, and nobody clicks beside it.
    <Index each={props.items}>
      {(item) => (
        <Show when={item() !== "line"} fallback={<Kobalte.Separator class="menu-line" />}>
          <One item={item() as Exclude<Item, "line">} />
        </Show>
      )}
    </Index>
  );
}

function One(props: { item: Exclude<Item, "line"> }) {
  // Done when the menu is gone: what opens then has the focus, and gives it back to where the menu was opened.
  const select = () => {
    const { run } = props.item;
    setTimeout(run);
  };
  return (
    <Kobalte.Item class={props.item.danger ? "menu-item danger" : "menu-item"} disabled={props.item.disabled ?? false} onSelect={select}>
      <span class="menu-icon">{props.item.checked ? <Icon name="check" /> : props.item.icon && <Icon name={props.item.icon} />}</span>
      <span class="menu-label">{props.item.label}</span>
      <Show when={props.item.keys}><kbd>{props.item.keys}</kbd></Show>
    </Kobalte.Item>
  );
}
