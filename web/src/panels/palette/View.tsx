// One field over everything: a file by a part of its name, or with > a command.
import * as Dialog from "@kobalte/core/dialog";
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { commands, shownKeys, type Command } from "../../state/commands.ts";
import { nameOf, openFile, tabs } from "../../state/tabs.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Rows, rowHeight, step } from "../../ui/Rows.tsx";
import { count } from "../../ui/format.ts";
import { fit } from "./fuzzy.ts";
import { cut, learn, listing, names, type Name } from "./names.ts";
import "./palette.css";

interface Entry {
  title: string;
  /** Where a file is. */
  folder?: string;
  keys?: string;
  at: number[];
  score: number;
  run: (preview: boolean) => void;
}

/** The most that is shown; who needs more types more. */
const SHOWN = 200;

export default function Palette(props: { begins: string; close: () => void }) {
  const [typed, setTyped] = createSignal(props.begins);
  const [at, setAt] = createSignal(0);
  createEffect(on(() => props.begins, (begins) => setTyped(begins), { defer: true }));
  const forCommands = () => typed().startsWith(">");
  createEffect(() => !forCommands() && void learn());
  const entries = createMemo(() => (forCommands() ? ofCommands(typed().slice(1)) : ofFiles(typed())));
  createEffect(on(typed, () => setAt(0)));

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    props.close();
    // After the dialog gave the focus back.
    setTimeout(() => entry.run(false));
  };
  const keys = (event: KeyboardEvent) => {
    const to = event.key === "Home" || event.key === "End" ? undefined : step(event, at(), entries().length);
    if (to !== undefined) setAt(to);
    else if (event.key === "Enter") run(entries()[at()]);
    else return;
    event.preventDefault();
  };
  const height = rowHeight() + 4;
  const nothing = () => (forCommands() ? "No command is called so." : listing() ? "Listing the files…" : "No file is called so. Hidden and ignored files are in the tree.");
  return (
    <Dialog.Root open onOpenChange={(open) => !open && props.close()} modal>
      <Dialog.Portal>
        <Dialog.Overlay class="dialog-overlay palette-veil" />
        <div class="palette-place">
          <Dialog.Content class="palette" aria-label={forCommands() ? "Commands" : "Go to a file"}>
            <Dialog.Title class="sr">{forCommands() ? "Commands" : "Go to a file"}</Dialog.Title>
            <div class="palette-field">
              <Icon name={forCommands() ? "command" : "search"} />
              <input
                type="text"
                role="combobox"
                aria-label={forCommands() ? "Command" : "Name of a file, or > for commands"}
                aria-expanded="true"
                aria-controls="palette-list"
                aria-autocomplete="list"
                aria-activedescendant={entries()[at()] ? `palette-${at()}` : undefined}
                placeholder="Name of a file, name:line, or > for commands"
                spellcheck={false}
                autocomplete="off"
                value={typed()}
                ref={(input) => queueMicrotask(() => (input.focus(), input.setSelectionRange(input.value.length, input.value.length)))}
                onInput={(event) => setTyped(event.currentTarget.value)}
                onKeyDown={keys}
              />
            </div>
            <div class="palette-found" style={{ height: `${Math.min(entries().length, 12) * height}px` }}>
              <Rows each={entries()} at={at()} role="listbox" id="palette-list" label={forCommands() ? "Commands" : "Files"} height={height}>
                {(entry, index) => (
                  <div class="palette-one" classList={{ at: at() === index }} role="option" id={`palette-${index}`} aria-selected={at() === index} onClick={() => run(entry)} onMouseMove={() => setAt(index)}>
                    <Icon name={forCommands() ? "command" : "file"} />
                    <span class="palette-title"><Marked text={entry.title} at={entry.at} /></span>
                    <Show when={entry.folder}><bdi class="palette-folder">{entry.folder}</bdi></Show>
                    <Show when={entry.keys} keyed>{(keys) => <kbd>{shownKeys(keys)}</kbd>}</Show>
                  </div>
                )}
              </Rows>
            </div>
            <div class="palette-told" role="status">
              <Show when={entries().length === 0} fallback={<span class="num">{forCommands() ? `${entries().length} commands` : `${count(names().length)} files${listing() ? ", listing on…" : cut() ? ", the newest" : ""}`}</span>}>
                {nothing()}
              </Show>
            </div>
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Marked(props: { text: string; at: number[] }) {
  const pieces = createMemo(() => {
    const made: { text: string; hit: boolean }[] = [];
    const hits = new Set(props.at);
    [...props.text].forEach((letter, at) => {
      const hit = hits.has(at);
      const last = made.at(-1);
      if (last && last.hit === hit) last.text += letter;
      else made.push({ text: letter, hit });
    });
    return made;
  });
  return <bdi><For each={pieces()}>{(piece) => (piece.hit ? <b>{piece.text}</b> : piece.text)}</For></bdi>;
}

function ofCommands(text: string): Entry[] {
  const typed = squeezed(text);
  const can = commands().filter((one) => (one.when?.() ?? true) && !one.id.startsWith("palette."));
  const scored = can.map((command) => ({ command, found: fit(typed, command.title) }));
  const fitting = scored.filter((one): one is { command: Command; found: NonNullable<typeof one.found> } => one.found !== undefined);
  if (typed === "") fitting.sort((a, b) => a.command.title.localeCompare(b.command.title));
  else fitting.sort((a, b) => b.found.score - a.found.score);
  return fitting.map(({ command, found }) => ({
    title: command.title,
    ...(command.keys ? { keys: command.keys } : {}),
    ...found,
    run: () => command.run(),
  }));
}

/** What one is likely to look for stands first: what is open, then what changed last. */
function ofFiles(text: string): Entry[] {
  const [, name = "", line] = /^(.*?)(?::(\d*))?$/s.exec(text) ?? [];
  const typed = squeezed(name);
  const found: Entry[] = [];
  const add = (one: Name, bonus: number) => {
    const how = fit(typed, one.path, one.lower);
    if (how) found.push(entry(one.path, how.at, how.score + bonus, line ? Number(line) : undefined));
  };
  if (typed === "") {
    const open = tabs().flatMap((tab) => (tab.shown.kind === "file" ? [tab.shown.path.replace(/^\/+/, "")] : []));
    for (const path of open) add({ path, lower: path.toLowerCase() }, 0);
    for (const one of names().slice(0, SHOWN)) if (!open.includes(one.path)) add(one, 0);
    return found;
  }
  names().forEach((one, at) => add(one, at < 50 ? 2 : 0));
  found.sort((a, b) => b.score - a.score);
  return found.slice(0, SHOWN);
}

function entry(path: string, at: number[], score: number, line: number | undefined): Entry {
  const title = nameOf(path);
  const base = path.length - title.length;
  return {
    title,
    folder: path.slice(0, Math.max(0, base - 1)),
    at: at.filter((one) => one >= base).map((one) => one - base),
    score,
    run: () => openFile(path, line === undefined ? {} : { line }),
  };
}

function squeezed(text: string): string {
  return text.toLowerCase().replace(/\s+/g, "");
}
