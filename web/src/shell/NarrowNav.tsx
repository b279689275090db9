// On a narrow screen one thing is shown at a time; this row chooses which.
import { For, Show } from "solid-js";
import { panels } from "../panels/registry.ts";
import { link } from "../state/connection.ts";
import { front, setFront } from "../state/layout.ts";
import { tabs } from "../state/tabs.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { Connection } from "./StatusBar.tsx";

export function NarrowNav() {
  const item = (id: string, title: string, icon: IconName, badge?: string) => (
    <button type="button" class="narrow-item" aria-current={front() === id ? "page" : undefined} onClick={() => setFront(id)}>
      <Icon name={icon} />
      <span>{title}</span>
      <Show when={badge}><b class="badge">{badge}</b></Show>
    </button>
  );
  return (
    <nav class="narrow-nav" aria-label="Views">
      <Show when={link().is !== "open"}><Connection /></Show>
      <div>
        <For each={panels().filter((panel) => panel.order === 0)}>{(panel) => item(panel.id, panel.title, panel.icon, panel.badge?.())}</For>
        {item("editor", "Editor", "edit", tabs().length > 0 ? String(tabs().length) : undefined)}
        <For each={panels().filter((panel) => panel.order !== 0)}>{(panel) => item(panel.id, panel.title, panel.icon, panel.badge?.())}</For>
      </div>
    </nav>
  );
}
