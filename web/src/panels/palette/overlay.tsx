// Quick open and the palette of commands: their keys are known from the beginning, the rest comes with the first use.
import { createSignal, lazy, onCleanup, Show, Suspense } from "solid-js";
import { register } from "../../state/commands.ts";
import type { Overlay } from "../registry.ts";

const Palette = lazy(() => import("./View.tsx"));
const [open, setOpen] = createSignal<string>();

const overlay: Overlay = {
  id: "palette",
  component: () => {
    onCleanup(register(
      { id: "palette.files", title: "Go to a file…", keys: "Mod+P", run: () => setOpen("") },
      { id: "palette.commands", title: "Show all commands", keys: "Mod+Shift+P", run: () => setOpen(">") },
    ));
    return (
      <Show when={open() !== undefined}>
        <Suspense><Palette begins={open() ?? ""} close={() => setOpen(undefined)} /></Suspense>
      </Show>
    );
  },
};
export default overlay;
