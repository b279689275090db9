// The terminals of a workspace, one in front.
import "@xterm/xterm/css/xterm.css";
import { createEffect, For, on, onCleanup, onMount, Show } from "solid-js";
import { agent, current } from "../../state/agents.ts";
import { register } from "../../state/commands.ts";
import { sentence } from "../../state/toasts.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { bring, close, front, mine, MOST, mount, open, restore, type Shown } from "./sessions.ts";
import "./terminal.css";

export default function View() {
  const none = () => current()?.settings.provider === "none";
  createEffect(on(agent, () => {
    restore();
    if (mine().length === 0 && !none()) open();
  }));
  onCleanup(register(
    { id: "terminal.new", title: "New terminal", keys: "Mod+Shift+`", when: () => !none(), run: () => void open() },
    { id: "terminal.close", title: "Close this terminal", when: () => front() !== undefined, run: () => front() && close(front()!.key) },
  ));
  return (
    <Show when={!none()} fallback={<NoCommands />}>
      <div class="terminals">
        <TabRow />
        <Show when={front()} keyed fallback={<div class="empty"><p>No terminal is open.</p><Button icon="plus" onClick={() => open()}>New terminal</Button></div>}>
          {(one) => <Screen of={one.key} about={one} />}
        </Show>
      </div>
    </Show>
  );
}

function NoCommands() {
  return (
    <div class="empty">
      <h2>This workspace runs no commands</h2>
      <p>Its provider is <code>none</code>, so there are no terminals. An operator can give it another: <code>garth agent update {agent()} --provider local</code>.</p>
    </div>
  );
}

function TabRow() {
  const keys = (event: KeyboardEvent) => {
    const all = mine();
    const at = all.findIndex((one) => one.key === front()?.key);
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Delete" && front()) return close(front()!.key);
    if (way === undefined) return;
    event.preventDefault();
    const to = all[(at + way + all.length) % all.length];
    if (to) bring(to.key);
    document.getElementById(`terminal-tab-${to?.key}`)?.focus();
  };
  return (
    <div class="terminal-row">
      <div role="tablist" aria-label="Terminals" onKeyDown={keys}>
        <For each={mine()}>
          {(one) => (
            <div class="terminal-tab" role="presentation" classList={{ front: one.key === front()?.key }}>
              <button type="button" role="tab" id={`terminal-tab-${one.key}`} aria-selected={one.key === front()?.key} tabIndex={one.key === front()?.key ? 0 : -1} onClick={() => bring(one.key)}>
                <span class="dot" data-state={one.state} aria-hidden="true" />
                {one.title}
                <Show when={one.state === "ended"}><span class="sr"> (ended)</span></Show>
              </button>
              {/* The keyboard has Delete for it; a tab list may hold nothing but tabs. */}
              <span class="tab-close" aria-hidden="true" title="Close, and end what runs in it" onClick={() => close(one.key)}><Icon name="cross" /></span>
            </div>
          )}
        </For>
      </div>
      <IconButton icon="plus" label="New terminal" keys="Ctrl+Shift+`" disabled={mine().length >= MOST} onClick={() => open()} />
    </div>
  );
}

function Screen(props: { of: number; about: Shown }) {
  let place!: HTMLDivElement;
  onMount(() => onCleanup(mount(props.of, place)));
  return (
    <>
      <Show when={props.about.state === "failed" && props.about.error} keyed>
        {(error) => (
          <div class="empty" role="alert">
            <h2>No terminal could be opened</h2>
            <p>{sentence(error.message)} {error.hint}</p>
            <Button onClick={() => (close(props.of), open())}>Try again</Button>
          </div>
        )}
      </Show>
      <div class="terminal-place" ref={place} hidden={props.about.state === "failed"} />
      <Show when={props.about.state === "ended"}>
        <div class="terminal-end" role="status">
          <span>{props.about.end}</span>
          <Button onClick={() => (close(props.of), open())}>New terminal</Button>
        </div>
      </Show>
    </>
  );
}
