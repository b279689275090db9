// A menu that opens from a button or where one clicked; items are plain data, so that keyboard and mouse see the same.
import * as Kobalte from "@kobalte/core/dropdown-menu";
import { For, Show, type JSX } from "solid-js";
import { Icon, type IconName } from "./Icon.tsx";

export type Item =
  | { label: string; icon?: IconName; keys?: string; run: () => void; danger?: boolean; disabled?: boolean; checked?: boolean }
  | "line";

export function Menu(props: { /** What it is called where its content does not say it. */ label?: string; items: Item[]; class?: string; children: JSX.Element; title?: string; placement?: "bottom-start" | "bottom-end" }) {
  return (
    <Kobalte.Root gutter={4} placement={props.placement ?? "bottom-start"} preventScroll={false}>
      <Kobalte.Trigger class={props.class ?? "icon-button"} aria-label={props.label} title={props.title ?? props.label ?? ""}>
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

/** The items alone, for any menu. */
export function MenuItems(props: { items: Item[] }) {
  return (
    <For each={props.items}>
      {(item) => (
        <Show when={item !== "line" && item} fallback={<Kobalte.Separator class="menu-line" />} keyed>
          {(item) => (
            <Kobalte.Item class={item.danger ? "menu-item danger" : "menu-item"} disabled={item.disabled ?? false} onSelect={() => item.run()}>
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
