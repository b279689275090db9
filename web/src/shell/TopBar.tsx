// The bar above: which workspace, what can be done anywhere, who one is.
import { Show } from "solid-js";
import { panelsOf } from "../panels/registry.ts";
import { agent, agents, choose, current } from "../state/agents.ts";
import { commands, shownKeys } from "../state/commands.ts";
import { docks, narrow, toggle, type Place } from "../state/layout.ts";
import { role, session, signOut } from "../state/session.ts";
import { IconButton } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Menu, type Item } from "../ui/Menu.tsx";
import { Mark } from "./Mark.tsx";

export function TopBar() {
  const command = (id: string) => commands().find((one) => one.id === id);
  return (
    <header class="topbar">
      <Mark />
      <AgentPicker />
      <div class="topbar-middle">
        <Show when={command("palette.files")} keyed>
          {(open) => (
            <button type="button" class="quick-open" onClick={() => open.run()}>
              <Icon name="search" />
              <span>Go to a file…</span>
              <kbd>{shownKeys(open.keys ?? "")}</kbd>
            </button>
          )}
        </Show>
      </div>
      <Show when={!narrow()}>
        <Switch place="left" label="Left side" />
        <Switch place="bottom" label="Bottom" />
        <Switch place="right" label="Right side" />
      </Show>
      <Account />
    </header>
  );
}

/** Shows or hides one dock; where no panel lives there is nothing to show. */
function Switch(props: { place: Place; label: string }) {
  return (
    <Show when={panelsOf(props.place).length > 0}>
      <IconButton icon={props.place} label={props.label} aria-pressed={docks[props.place].open} onClick={() => toggle(props.place)} />
    </Show>
  );
}

function AgentPicker() {
  const items = (): Item[] => {
    const all: Item[] = agents().map((one) => ({
      label: [one.id, one.settings.provider ?? "local", one.state === "active" ? "" : "stopped", one.settings.readOnly ? "read only" : ""].filter(Boolean).join(" · "),
      checked: one.id === agent(),
      run: () => choose(one.id),
    }));
    const own = ["workspaces.new", "workspaces.this", "workspaces.manage"].flatMap((id) => commands().find((one) => one.id === id) ?? []);
    const more = own.map<Item>((one) => ({ label: one.title, icon: one.id === "workspaces.new" ? "plus" : "settings", run: one.run }));
    return more.length > 0 ? [...all, "line", ...more] : all;
  };
  const provider = () => current()?.settings.provider ?? (current() ? "local" : undefined);
  return (
    <Show
      when={agents().length > 0}
      fallback={<span class="agent-name"><Icon name="agent" />{agent()}</span>}
    >
      <Menu title="Choose a workspace" items={items()} class="agent-picker">
        <Icon name="agent" />
        <span class="sr">Workspace: </span>
        <span class="agent-name">{agent()}</span>
        <Show when={provider()}><span class="tag">{provider()}</span></Show>
        <Show when={current()?.settings.readOnly}><span class="tag warn">read only</span></Show>
        <Icon name="chevron" class="turn" />
      </Menu>
    </Show>
  );
}

function Account() {
  const label = () => {
    const now = session();
    return now.is === "in" && now.label ? now.label : "";
  };
  const items = (): Item[] => [
    { label: "The HTTP interface", icon: "info", run: () => void window.open("/docs", "_blank", "noopener") },
    "line",
    { label: "Sign out", icon: "key", run: () => void signOut() },
  ];
  return (
    <Menu label={`Signed in as ${role() ?? "nobody"}`} title={label() || `Signed in as ${role() ?? ""}`} items={items()} class="account" placement="bottom-end">
      <Icon name="user" />
      <span>{role()}</span>
    </Menu>
  );
}
