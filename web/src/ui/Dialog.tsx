// Dialogs: a title, what it is about, and a row of answers; the focus stays inside and goes back where it was.
import * as Kobalte from "@kobalte/core/dialog";
import { Show, type JSX } from "solid-js";
import { IconButton } from "./Button.tsx";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  about?: JSX.Element;
  children?: JSX.Element;
  /** The answers, the main one last. */
  answers?: JSX.Element;
  /** One that must be answered has no cross and stays on Escape. */
  must?: boolean;
  wide?: boolean;
}

export function Dialog(props: DialogProps) {
  return (
    <Kobalte.Root open={props.open} onOpenChange={(open) => !open && !props.must && props.onClose()} modal>
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
