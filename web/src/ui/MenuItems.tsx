// The items of an open menu, whichever way it was opened.
import * as Kobalte from "@kobalte/core/dropdown-menu";
import { createMemo, For, Show } from "solid-js";
import { Icon } from "./Icon.tsx";
import type { Item } from "./Menu.tsx";

type Named = Exclude<Item, "line">;

export function MenuItems(props: { items: Item[] }) {
  const items = createMemo(() => new Map(named(props.items)));
  return (
    // By their labels: what comes while the menu is open moves the others, and none turns into another under a click.
    <For each={[...items().keys()]}>
      {(name) => {
        // One that has just gone may still be asked.
        const item = createMemo((last: Item | undefined) => items().get(name) ?? last);
        const line = item() === undefined || item() === "line";
        return line ? <Kobalte.Separator class="menu-line" /> : <One item={item() as Named} />;
      }}
    </For>
  );
}

/** Each item with a name that no other has. */
function named(items: Item[]): [string, Item][] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const label = item === "line" ? "" : item.label;
    const nth = (seen.get(label) ?? 0) + 1;
    seen.set(label, nth);
    return [`${label}\n${nth}`, item];
  });
}

function One(props: { item: Named }) {
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
