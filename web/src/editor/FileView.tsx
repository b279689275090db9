// A file in the middle: what it is, what happened to it, and its content in the form that fits.
import { createEffect, createSignal, For, lazy, Match, on, onCleanup, Show, Switch } from "solid-js";
import { current } from "../state/agents.ts";
import { may } from "../state/connection.ts";
import { register, shownKeys } from "../state/commands.ts";
import { active, openDiff, type Tab } from "../state/tabs.ts";
import { closeTab } from "../state/closing.ts";
import { sentence } from "../state/toasts.ts";
import { Button, IconButton } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { size } from "../ui/format.ts";
import { download } from "../panels/files/transfer.ts";
import { compareWithCommit } from "../panels/git/later.ts";
import { confirm } from "../ui/ask.tsx";
import "./editor.css";
import { documentOf, MOST_TEXT, type Document } from "./document.ts";
import { BinaryView } from "./BinaryView.tsx";
import { ImageView } from "./ImageView.tsx";
import { LARGE } from "./setup.ts";
import { TextEditor } from "./TextEditor.tsx";

const ConflictView = lazy(() => import("./ConflictView.tsx"));

export default function FileView(props: { tab: Tab }) {
  const document = documentOf(props.tab);
  const facts = document.facts;
  const [wrap, setWrap] = createSignal(localStorage.getItem("garth.wrap") === "true");
  const readOnly = () => !may("worktree.write") || current()?.settings.readOnly === true || facts.cut;
  const inFront = () => active()?.key === props.tab.key;

  createEffect(
    on(inFront, (front) => {
      if (!front) return;
      const text = () => facts.is === "text";
      onCleanup(
        register(
          { id: "file.save", title: "Save the file", keys: "Mod+S", when: text, run: () => void document.save() },
          { id: "file.close", title: "Close the file", keys: "Alt+W", run: () => void closeTab(props.tab.id) },
          { id: "file.changes", title: "Show unsaved changes", when: () => props.tab.dirty, run: () => changes(document) },
          { id: "file.since", title: "Show what changed since it was opened", keys: "Alt+C", when: () => text() && document.first !== facts.version, run: () => since(document) },
          { id: "file.commit", title: "Compare with the last commit", keys: "Alt+G", when: () => text() && may("git"), run: () => void compareWithCommit(document.path) },
          { id: "file.download", title: "Download the file", run: () => void download(document.path, "file") },
          { id: "file.wrap", title: "Wrap long lines", keys: "Alt+Z", run: () => toggleWrap() },
        ),
      );
    }),
  );
  const toggleWrap = () => {
    localStorage.setItem("garth.wrap", String(!wrap()));
    setWrap(!wrap());
  };

  return (
    <>
      <div class="file-bar">
        <Path path={document.path} />
        <Show when={facts.secrets.length > 0}>
          <span class="tag warn" title={`Hidden: ${facts.secrets.join(", ")}`}><Icon name="shield" /> {hiddenCount(facts.secrets.length)}</span>
        </Show>
        <Show when={facts.is === "text" && readOnly()}><span class="tag">read only</span></Show>
        <span class="grow" />
        <Show when={facts.is === "text" && !facts.theirs}>
          <Show when={props.tab.dirty}>
            <Button class="small-button" icon="diff" onClick={() => changes(document)}>Changes</Button>
          </Show>
          <Show when={!props.tab.dirty && document.first !== undefined && facts.version !== document.first}>
            <Button class="small-button" icon="diff" title="What changed since it was opened (Alt+C)" onClick={() => since(document)}>Since opened</Button>
          </Show>
          <Show when={!readOnly()}>
            <Button class="small-button" look={props.tab.dirty ? "primary" : "plain"} icon="save" disabled={!props.tab.dirty || facts.saving} title={shownKeys("Mod+S")} onClick={() => void document.save()}>
              {facts.saving ? "Saving…" : props.tab.dirty ? "Save" : "Saved"}
            </Button>
          </Show>
        </Show>
        <IconButton icon="download" label="Download the file" onClick={() => void download(document.path, "file")} />
      </div>
      <Notices document={document} dirty={props.tab.dirty} readOnly={readOnly()} />
      <Switch>
        <Match when={facts.is === "loading"}><div class="loading" aria-busy="true" /></Match>
        <Match when={facts.theirs} keyed>{(theirs) => <ConflictView document={document} theirs={theirs} />}</Match>
        <Match when={facts.is === "text"}><TextEditor document={document} readOnly={readOnly()} wrap={wrap()} /></Match>
        <Match when={facts.is === "image"}><ImageView agent={props.tab.agent} path={document.path} modified={facts.modified} /></Match>
        <Match when={facts.is === "binary"}><BinaryView agent={props.tab.agent} path={document.path} facts={facts} /></Match>
        <Match when={facts.is === "failed" && facts.error} keyed>
          {(error) => (
            <div class="empty" role="alert">
              <Icon name="warning" />
              <h2>{sentence(error.message)}</h2>
              <p>{error.hint}</p>
              <Button icon="refresh" onClick={() => void document.load()}>Try again</Button>
            </div>
          )}
        </Match>
      </Switch>
    </>
  );
}

function hiddenCount(names: number): string {
  return names === 1 ? "1 kind of secret hidden" : `${names} kinds of secrets hidden`;
}

/** Where the file is; each folder of it is shown in the tree. */
function Path(props: { path: string }) {
  return (
    <nav class="file-path" aria-label="Path">
      <For each={props.path.split("/")}>{(part, at) => <><Show when={at() > 0}><span class="slash" aria-hidden="true">/</span></Show><bdi>{part}</bdi></>}</For>
    </nav>
  );
}

/** What one should know before going on. */
function Notices(props: { document: Document; dirty: boolean; readOnly: boolean }) {
  const { document } = props;
  const facts = document.facts;
  const discard = async () => {
    const about = "Your changes are replaced by what is in the workspace. You can undo it right after.";
    if (await confirm({ title: "Take what is in the workspace?", about, answer: "Take theirs", danger: true })) await document.discard();
  };
  return (
    <div class="notices" aria-live="polite">
      <Show when={facts.is === "text" && facts.changed && !facts.theirs}>
        <div class="notice warn bar">
          <Icon name="warning" />
          <span>The agent or another client wrote this file while you edited it. Your changes are still here.</span>
          <Button class="small-button" onClick={() => void document.conflict()}>Compare and merge</Button>
          <Button class="small-button" onClick={() => void discard()}>Take theirs</Button>
        </div>
      </Show>
      <Show when={facts.gone}>
        <div class="notice warn bar">
          <Icon name="trash" />
          <span>This file was deleted in the workspace. {props.readOnly ? "" : "Saving makes it again."}</span>
          <Show when={!props.readOnly}><Button class="small-button" onClick={() => void document.save()}>Make it again</Button></Show>
        </div>
      </Show>
      <Show when={facts.cut}>
        <div class="notice bar">
          <Icon name="info" />
          <span>The file has {size(facts.size)}; these are its first {size(MOST_TEXT)}, and cannot be changed here.</span>
          <Button class="small-button" icon="download" onClick={() => void download(document.path, "file")}>Download</Button>
        </div>
      </Show>
      <Show when={facts.is === "text" && !facts.cut && facts.size > LARGE}>
        <div class="notice bar"><Icon name="info" /><span>A large file: shown without colours, so that it stays quick.</span></div>
      </Show>
      <Show when={facts.is === "text" && facts.secrets.length > 0}>
        <div class="notice bar quiet">
          <Icon name="shield" />
          <span>Some secrets are hidden: {facts.secrets.join(", ")}. Saving puts them back where their chips stand.</span>
        </div>
      </Show>
    </div>
  );
}

/** What was edited, beside what the file holds. */
function changes(document: Document): void {
  openDiff({ title: `${document.tab.title} (saved)`, text: document.base }, { title: `${document.tab.title} (edited)`, text: document.current() });
}

/** What was done to the file since it was opened, by whomever. */
function since(document: Document): void {
  if (document.first !== undefined) openDiff({ path: document.path, version: document.first }, { path: document.path });
}
