// Dialogs, fetched when the first one opens: the page is there before anybody is asked.
import { lazy, Show, Suspense, type JSX } from "solid-js";

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

const OpenDialog = lazy(() => import("./OpenDialog.tsx"));

export function Dialog(props: DialogProps) {
  return (
    <Show when={props.open}>
      <Suspense><OpenDialog {...props} /></Suspense>
    </Show>
  );
}
