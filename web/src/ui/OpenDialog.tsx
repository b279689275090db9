// A dialog that is open: a title, what it is about, and a row of answers; the focus stays inside and goes back where it was.
import * as Kobalte from "@kobalte/core/dialog";
import { onCleanup, Show, untrack } from "solid-js";
import { IconButton } from "./Button.tsx";
import type { DialogProps } from "./Dialog.tsx";

/** Where one would type first, else the answer that changes nothing. */
const FIRST = ["input:is([type=text], [type=search], [type=password]), textarea", "footer button"];

export default function OpenDialog(props: DialogProps) {
  let content!: HTMLElement;
  const before = document.activeElement as HTMLElement | null;
  const begin = (event: Event) => {
    event.preventDefault();
    // What put itself in front, with a part of its text chosen, stays there.
    if (content.contains(document.activeElement)) return;
    const first = FIRST.map((what) => content.querySelector<HTMLElement>(what)).find((found) => found !== null);
    // What hears of the focus may look at signals, which must not begin this again.
    untrack(() => (first ?? content).focus());
  };
  // Back where it was, unless what was answered has led elsewhere.
  onCleanup(() => setTimeout(() => document.activeElement === document.body && before?.isConnected && before.focus()));
  return (
    <Kobalte.Root open onOpenChange={(open) => !open && !props.must && props.onClose()} modal>
      <Kobalte.Portal>
        <Kobalte.Overlay class="dialog-overlay" />
        <div class="dialog-place">
          <Kobalte.Content
            class={props.wide ? "dialog wide" : "dialog"}
            ref={content}
            onOpenAutoFocus={begin}
            onCloseAutoFocus={(event: Event) => event.preventDefault()}
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
