// Two sides compared: beside each other where there is room, one in the other where there is not.
import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { createEffect, createResource, createSignal, Match, on, onCleanup, Show, Switch } from "solid-js";
import { asRpcError } from "../rpc/errors.ts";
import { register } from "../state/commands.ts";
import { narrow } from "../state/layout.ts";
import { active, type Side, type Tab } from "../state/tabs.ts";
import { sentence } from "../state/toasts.ts";
import { Button } from "../ui/Button.tsx";
import "./editor.css";
import { basics, languageFor, shadow } from "./setup.ts";
import { textOf } from "./sides.ts";

export default function DiffView(props: { tab: Tab }) {
  const shown = () => props.tab.shown as { left: Side; right: Side };
  const [sides, { refetch }] = createResource(
    () => ({ agent: props.tab.agent, ...shown() }),
    async ({ agent, left, right }) => {
      const [a, b] = await Promise.all([textOf(agent, left), textOf(agent, right)]);
      const language = await languageFor(nameOf(right), Math.max(a.length, b.length));
      return { a, b, language: language?.extension ?? [] };
    },
  );
  return (
    <Switch>
      <Match when={sides.error}>
        {(error) => (
          <div class="empty" role="alert">
            <h2>{sentence(asRpcError(error()).message)}</h2>
            <p>{asRpcError(error()).hint}</p>
            <Button icon="refresh" onClick={() => void refetch()}>Try again</Button>
          </div>
        )}
      </Match>
      <Match when={sides.loading}><div class="loading" aria-busy="true" /></Match>
      <Match when={sides()} keyed>
        {(loaded) => <Compared tab={props.tab} left={nameOf(shown().left)} right={nameOf(shown().right)} {...loaded} />}
      </Match>
    </Switch>
  );
}

function nameOf(side: Side): string {
  return "path" in side ? side.path + (side.version === undefined ? "" : " (before)") : side.title;
}

function Compared(props: { tab: Tab; left: string; right: string; a: string; b: string; language: Extension }) {
  const [changes, setChanges] = createSignal(0);
  const [at, setAt] = createSignal(0);
  let host!: HTMLDivElement;
  let view: EditorView | undefined;

  createEffect(
    on(narrow, (small) => {
      const root = shadow(host);
      const common = (text: string, label: string) => [basics(text, label), props.language, EditorState.readOnly.of(true), EditorView.lineWrapping, follow];
      const follow = EditorView.updateListener.of((update) => {
        const chunks = getChunks(update.state)?.chunks ?? [];
        setChanges(chunks.length);
        const head = update.state.selection.main.head;
        setAt(chunks.filter((chunk) => chunk.fromB <= head).length);
      });
      const collapse = { collapseUnchanged: { margin: 3, minSize: 6 } };
      let end: () => void;
      if (small) {
        const extensions = [common(props.b, props.right), unifiedMergeView({ original: props.a, mergeControls: false, ...collapse })];
        view = new EditorView({ state: EditorState.create({ doc: props.b, extensions }), parent: root, root });
        end = () => view?.destroy();
      } else {
        const merge = new MergeView({
          a: { doc: props.a, extensions: common(props.a, props.left) },
          b: { doc: props.b, extensions: common(props.b, props.right) },
          parent: root,
          root,
          ...collapse,
        });
        view = merge.b;
        end = () => merge.destroy();
      }
      setChanges(getChunks(view.state)?.chunks.length ?? 0);
      onCleanup(end);
    }),
  );
  const step = (by: 1 | -1) => {
    if (!view) return;
    (by === 1 ? goToNextChunk : goToPreviousChunk)(view);
    view.focus();
  };
  createEffect(
    on(
      () => active()?.key === props.tab.key,
      (front) => {
        if (!front) return;
        onCleanup(
          register(
            { id: "diff.next", title: "Next change", keys: "F7", run: () => step(1) },
            { id: "diff.previous", title: "Previous change", keys: "Shift+F7", run: () => step(-1) },
          ),
        );
        queueMicrotask(() => step(1));
      },
    ),
  );
  return (
    <>
      <div class="file-bar diff-bar">
        <span class="diff-names"><bdi class="old">{props.left}</bdi><span aria-hidden="true">→</span><bdi class="new">{props.right}</bdi></span>
        <span class="grow" />
        <span class="num muted" role="status">{changes() === 0 ? "No difference" : `${Math.max(1, at())} of ${changes()} ${changes() === 1 ? "change" : "changes"}`}</span>
        <Show when={changes() > 0}>
          <Button class="small-button" icon="up" title="Shift+F7" onClick={() => step(-1)}>Previous</Button>
          <Button class="small-button" icon="down" title="F7" onClick={() => step(1)}>Next</Button>
        </Show>
      </div>
      <div ref={host} class="editor-host diff" />
    </>
  );
}
