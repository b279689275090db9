// The text of a file in an editor, tied to its document.
import { Compartment, EditorState, type StateEffect, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { createEffect, on, onCleanup, onMount } from "solid-js";
import { active, focusWanted } from "../state/tabs.ts";
import { setStatus } from "../state/status.ts";
import { count, size } from "../ui/format.ts";
import { setShownLanguage } from "./language.ts";
import type { Document } from "./document.ts";
import { basics, languageFor, shadow } from "./setup.ts";

export function TextEditor(props: { document: Document; readOnly: boolean; wrap: boolean }) {
  let host!: HTMLDivElement;
  let view: EditorView | undefined;
  const document = props.document;
  const language = new Compartment();
  const access = new Compartment();
  const wrapping = new Compartment();
  const locked = () => [EditorState.readOnly.of(props.readOnly), EditorView.editable.of(true)];

  const tell = () => {
    if (!view || active()?.key !== document.tab.key) return;
    const head = view.state.selection.main.head;
    const line = view.state.doc.lineAt(head);
    setStatus([`${count(line.number)}:${head - line.from + 1}`, size(document.facts.size), document.facts.encoding ?? "UTF-8", spoken].filter(Boolean).join(" · "));
  };
  let spoken = "";

  // The saved text as the editor has texts, so that the two are compared without writing either out.
  let known: { text: string; as: Text } | undefined;
  const saved = (state: EditorState): Text => {
    if (known?.text !== document.base) known = { text: document.base, as: state.toText(document.base) };
    return known.as;
  };
  onMount(() => {
    const listen = EditorView.updateListener.of((update) => {
      if (update.docChanged) document.edited(!update.state.doc.eq(saved(update.state)));
      if (update.docChanged || update.selectionSet) tell();
    });
    const fresh = () =>
      EditorState.create({
        doc: document.base,
        extensions: [basics(document.base, `Content of ${document.path}`), listen, language.of([]), access.of(locked()), wrapping.of([])],
      });
    const root = shadow(host);
    view = new EditorView({ state: fresh(), parent: root, root });
    if (document.kept) {
      // What was kept belongs to compartments of a view that is gone; its text and selection are taken over.
      const { doc, selection } = document.kept;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc }, selection });
      document.kept = undefined;
    }
    document.current = () => view!.state.sliceDoc();
    document.show = (text) => replace(view!, text);
    void languageFor(document.path, document.base.length).then((found) => {
      spoken = found?.name ?? "";
      setShownLanguage(document.tab.key, spoken);
      if (found && view) view.dispatch({ effects: language.reconfigure(found.extension) });
      tell();
    });
    // Who only looks stays in the tree.
    if (active()?.key === document.tab.key && !document.tab.preview) view.focus();
    onCleanup(() => {
      document.kept = view!.state;
      document.show = undefined;
      document.current = () => document.kept?.sliceDoc() ?? document.base;
      view!.destroy();
    });
  });

  createEffect(() => view?.dispatch({ effects: access.reconfigure(locked()) as StateEffect<unknown> }));
  createEffect(() => view?.dispatch({ effects: wrapping.reconfigure(props.wrap ? EditorView.lineWrapping : []) }));
  createEffect(
    on(
      () => document.tab.at,
      (at) => at && queueMicrotask(() => view && goTo(view, at.line, at.column ?? 1)),
    ),
  );
  createEffect(on(active, tell));
  createEffect(on(focusWanted, (wanted) => wanted === document.tab.id && view?.focus(), { defer: true }));

  return <div ref={host} class="editor-host" />;
}

function goTo(view: EditorView, number: number, column: number): void {
  const line = view.state.doc.line(Math.min(view.state.doc.lines, Math.max(1, number)));
  const at = Math.min(line.to, line.from + column - 1);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  view.focus();
}

/** Sets the whole text, touching only what differs, so that cursor and scroll stay. */
function replace(view: EditorView, text: string): void {
  const before = view.state.sliceDoc();
  if (before === text) return;
  let start = 0;
  const shorter = Math.min(before.length, text.length);
  while (start < shorter && before.charCodeAt(start) === text.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && before.charCodeAt(before.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end += 1;
  // Places count a line break as one character, whatever it is written as.
  const place = (at: number) => (view.state.lineBreak.length === 1 ? at : at - (before.slice(0, at).match(/\r\n/g)?.length ?? 0));
  if (view.state.lineBreak.length === 2) {
    while (start > 0 && before.charCodeAt(start - 1) === 13) start -= 1;
    while (end > 0 && text.charCodeAt(text.length - end) === 10) end -= 1;
  }
  const insert = view.state.toText(text.slice(start, text.length - end));
  view.dispatch({ changes: { from: place(start), to: place(before.length - end), insert } });
}
