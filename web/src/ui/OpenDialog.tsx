// A dialog that is open: a title, what it is about, and a row of answers; the focus stays inside and goes back where it was.
import * as Kobalte from "@kobalte/core/dialog";
import { Show } from "solid-js";
import { IconButton } from "./Button.tsx";
import type { DialogProps } from "./Dialog.tsx";

export default function OpenDialog(props: DialogProps) {
  return (
    <Kobalte.Root open onOpenChange={(open) => !open && !props.must && props.onClose()} modal>
      <Kobalte.Portal>
        <Kobalte.Overlay class="dialog-overlay" />
        <div class="dialog-place">
          <Kobalte.Content
            class={props.wide ? "dialog wide" : "dialog"}
            onEscapeKeyDown={(event: KeyboardEvent) => props.must && event.preventDefault()}
            onInteractOutside={(event: Event) => props.must && event.preventDefault()}
          >
            <header>
              <Kobalte.Title class="dialog-title">{props.title}</Kobalte.Title>
              <Show when={!props.must}>
                <IconButton icon="cross" label="Close" onClick={() => props.onClose()} />
              </Show>
            </header>
            <Show when={props.about}>
              <Kobalte.Description class="dialog-about">{props.about}</Kobalte.Description>
            </Show>
            {props.children}
            <Show when={props.answers}>
              <footer>{props.answers}</footer>
            </Show>
          </Kobalte.Content>
        </div>
      </Kobalte.Portal>
    </Kobalte.Root>
  );
}
