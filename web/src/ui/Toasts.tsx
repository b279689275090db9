// The corner where messages appear; errors are read out at once, others when there is time.
import { For, Show } from "solid-js";
import { dismiss, hold, release, toasts } from "../state/toasts.ts";
import { Button, IconButton } from "./Button.tsx";
import { Icon } from "./Icon.tsx";

const ICON = { info: "info", done: "check", error: "warning" } as const;

export function Toasts() {
  return (
    <div class="toasts" onMouseEnter={hold} onMouseLeave={release} onFocusIn={hold} onFocusOut={release}>
      <For each={toasts}>
        {(toast) => (
          <div class={`toast ${toast.kind}`} role={toast.kind === "error" ? "alert" : "status"}>
            <Icon name={ICON[toast.kind]} />
            <div>
              <strong>{toast.title}</strong>
              <Show when={toast.hint}><p>{toast.hint}</p></Show>
              <Show when={toast.progress !== undefined}>
                <progress max="1" value={toast.progress} aria-label={toast.title} />
              </Show>
            </div>
            <Show when={toast.action} keyed>
              {(action) => <Button onClick={() => (dismiss(toast.id), action.run())}>{action.label}</Button>}
            </Show>
            <IconButton icon="cross" label="Dismiss" onClick={() => dismiss(toast.id)} />
          </div>
        )}
      </For>
    </div>
  );
}
