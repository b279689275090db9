// The panel of files: what can be done, and the tree.
import { createSignal, Show } from "solid-js";
import { agent } from "../../state/agents.ts";
import { sentence } from "../../state/toasts.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { count } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Menu, type Item } from "../../ui/Menu.tsx";
import { makeFile, makeFolder, writable } from "./actions.ts";
import "./files.css";
import { directoryOf, items } from "./items.ts";
import { entries, picked } from "./selection.ts";
import { busy, hidden, ignored, refresh, selected, showHidden, showIgnored, tree, trouble } from "./store.ts";
import { dropped, upload } from "./transfer.ts";
import { TreeView } from "./TreeView.tsx";

export default function View() {
  const [over, setOver] = createSignal(false);
  let chooser!: HTMLInputElement;
  const here = () => directoryOf(selected());
  const several = () => (picked().length > 1 ? `${entries(picked().length)} chosen` : undefined);
  const options = (): Item[] => [
    ...items(),
    "line",
    { label: "Show hidden files", checked: hidden(), run: () => showHidden(!hidden()) },
    { label: "Show ignored files", checked: ignored(), run: () => showIgnored(!ignored()) },
    { label: "Read again", icon: "refresh", run: () => void refresh() },
  ];
  const drop = async (event: DragEvent) => {
    setOver(false);
    if (!event.dataTransfer?.types.includes("Files") || !writable()) return;
    event.preventDefault();
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-path]");
    const directory = directoryOf(row?.dataset["path"]);
    await upload(await dropped(event.dataTransfer, directory), directory);
  };
  const chosen = async (event: Event & { currentTarget: HTMLInputElement }) => {
    const files = [...(event.currentTarget.files ?? [])];
    const directory = here();
    const at = directory === "/" ? "" : `${directory}/`;
    event.currentTarget.value = "";
    await upload(files.map((file) => ({ path: at + file.name, file })), directory);
  };
  return (
    <div
      class="files"
      classList={{ over: over() }}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files") || !writable()) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as globalThis.Node | null) && setOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <div class="files-bar" role="toolbar" aria-label="Files">
        <span class="files-count num" classList={{ several: several() !== undefined }}>{several() ?? (tree().root.children ? label(tree().root.children!.length, tree().root.partial) : "")}</span>
        <span class="sr" role="status">{several() === undefined ? "" : `${several()} in all`}</span>
        <Show when={busy().size > 0}><span class="spinner" role="status" aria-label="Reading" /></Show>
        <Show when={writable()}>
          <IconButton icon="filePlus" label="New file" onClick={() => void makeFile(here())} />
          <IconButton icon="folderPlus" label="New folder" onClick={() => void makeFolder(here())} />
          <IconButton icon="upload" label="Upload files" onClick={() => chooser.click()} />
          <input ref={chooser} type="file" multiple hidden aria-label="Files to upload" onChange={(event) => void chosen(event)} />
        </Show>
        <Menu label="More for files" items={options()} placement="bottom-end"><Icon name="more" /></Menu>
      </div>
      <Show when={trouble()} keyed>
        {(error) => (
          <div class="empty" role="alert">
            <Icon name="warning" />
            <h2>{sentence(error.message)}</h2>
            <p>{error.hint}</p>
            <Button icon="refresh" onClick={() => void refresh()}>Try again</Button>
          </div>
        )}
      </Show>
      <Show when={!trouble() && tree().root.children?.length === 0}>
        <div class="empty">
          <h2>Nothing is here yet</h2>
          <p>{writable() ? "Drop files here, make one, or let the agent begin." : "The agent has not begun."}</p>
        </div>
      </Show>
      <Show when={!trouble() && (tree().root.children?.length ?? 0) > 0}>
        <Show when={agent()} keyed>{(_) => <TreeView />}</Show>
      </Show>
      <div class="drop-note" aria-hidden="true">Drop to upload</div>
    </div>
  );
}

function label(all: number, partial: boolean): string {
  return partial ? `${count(all)}+ entries` : entries(all);
}
