// The search: a field, its switches, and what was found by file.
import { createMemo, createSignal, For, Show } from "solid-js";
import { sentence } from "../../state/toasts.ts";
import { nameOf, openFile } from "../../state/tabs.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Rows, step } from "../../ui/Rows.tsx";
import { count } from "../../ui/format.ts";
import { busy, caseSensitive, found, glob, hidden, ignored, lines, more, parts, query, regex, searched, searchNow, setCaseSensitive, setGlob, setHidden, setIgnored, setQuery, setRegex, wrong, type Found, type Match } from "./find.ts";
import "./search.css";

type Row =
  | { is: "file"; found: Found; open: boolean }
  | { is: "match"; path: string; match: Match }
  | { is: "around"; text: string; line: number };

const [closed, setClosed] = createSignal<ReadonlySet<string>>(new Set());

export default function View() {
  const [at, setAt] = createSignal(-1);
  let list: HTMLDivElement | undefined;
  let field!: HTMLInputElement;
  const rows = createMemo(() => laidOut(found(), closed()));
  const key = (row: Row | undefined) => (row && row.is !== "around" ? `found-${rows().indexOf(row)}` : undefined);

  const fold = (path: string, open: boolean) => setClosed((all) => {
    const next = new Set(all);
    if (open) next.delete(path);
    else next.add(path);
    return next;
  });
  const enter = (row: Row | undefined, preview: boolean) => {
    if (row?.is === "file") fold(row.found.path, !row.open);
    if (row?.is === "match") openFile(row.path, { line: row.match.line, column: row.match.column, preview });
  };
  const go = (to: number, way: number) => {
    let next = to;
    while (rows()[next]?.is === "around") next += way;
    if (rows()[next]) setAt(next);
  };
  const keys = (event: KeyboardEvent) => {
    const row = rows()[at()];
    const to = step(event, at(), rows().length);
    if (to !== undefined && event.key === "ArrowUp" && at() <= 0) field.focus();
    else if (to !== undefined) go(to, to < at() || event.key === "End" ? -1 : 1);
    else if (event.key === "Enter") enter(row, false);
    else if (event.key === " ") enter(row, true);
    else if (event.key === "ArrowLeft") {
      if (row?.is === "file") fold(row.found.path, false);
      else if (row?.is === "match") setAt(rows().findIndex((one) => one.is === "file" && one.found.path === row.path));
    } else if (event.key === "ArrowRight" && row?.is === "file") fold(row.found.path, true);
    else return;
    event.preventDefault();
  };
  const fromField = (event: KeyboardEvent) => {
    if (event.key === "Enter" && found().length === 0) searchNow();
    else if ((event.key === "ArrowDown" || event.key === "Enter") && rows().length > 0) {
      go(Math.max(0, at()), 1);
      list?.focus();
    } else if (event.altKey && event.code === "KeyC") setCaseSensitive(!caseSensitive());
    else if (event.altKey && event.code === "KeyR") setRegex(!regex());
    else return;
    event.preventDefault();
  };

  return (
    <div class="search">
      <div class="search-form" role="search" onKeyDown={fromField}>
        <div class="search-field">
          <input
            ref={(input) => ((field = input), queueMicrotask(() => (input.focus(), input.select())))}
            type="text"
            aria-label="Search in files"
            placeholder="Search in files"
            spellcheck={false}
            autocomplete="off"
            value={query()}
            aria-invalid={wrong() ? "true" : "false"}
            aria-describedby="search-told"
            onInput={(event) => (setAt(-1), setQuery(event.currentTarget.value))}
          />
          <Switch label="Upper and lower case differ" keys="Alt+C" on={caseSensitive()} set={setCaseSensitive}>Aa</Switch>
          <Switch label="Regular expression" keys="Alt+R" on={regex()} set={setRegex}>.*</Switch>
        </div>
        <input
          type="text"
          class="search-glob"
          aria-label="Only files that match"
          placeholder="Only files that match, such as *.ts"
          spellcheck={false}
          autocomplete="off"
          value={glob()}
          onInput={(event) => (setAt(-1), setGlob(event.currentTarget.value))}
        />
        <div class="search-more">
          <label class="check"><input type="checkbox" checked={hidden()} onChange={(event) => setHidden(event.currentTarget.checked)} /><span>Hidden</span></label>
          <label class="check"><input type="checkbox" checked={ignored()} onChange={(event) => setIgnored(event.currentTarget.checked)} /><span>Ignored</span></label>
        </div>
      </div>
      <div class="search-told" id="search-told" role="status"><Told /></div>
      <Show when={rows().length > 0}>
        <Rows
          ref={(element) => (list = element)}
          each={rows()}
          at={at()}
          role="tree"
          label="What was found"
          class="search-found"
          tabIndex={0}
          busy={busy()}
          active={key(rows()[at()])}
          onKeyDown={keys}
        >
          {(row, index) => <One row={row} index={index} at={at() === index} choose={() => (setAt(index), enter(row, true))} keep={() => enter(row, false)} />}
        </Rows>
      </Show>
    </div>
  );
}

function Switch(props: { label: string; keys: string; on: boolean; set: (on: boolean) => void; children: string }) {
  return (
    <button type="button" class="search-switch" aria-label={props.label} title={`${props.label} (${props.keys})`} aria-pressed={props.on} onClick={() => props.set(!props.on)}>
      {props.children}
    </button>
  );
}

function Told() {
  return (
    <Show when={!wrong()} fallback={<div class="notice wrong"><strong>{sentence(wrong()!.message)}</strong> {wrong()!.hint}</div>}>
      <Show when={query() !== ""} fallback={<span class="muted">Type to search all files.</span>}>
        <Show
          when={lines() > 0}
          fallback={<span class="muted">{busy() || searched() === undefined ? "Searching…" : `Nothing found in ${count(searched() ?? 0)} files. Files that are hidden, ignored or binary are left out.`}</span>}
        >
          <span class="muted num">
            {more() ? "The first " : ""}{count(lines())} {lines() === 1 ? "line" : "lines"} in {count(found().length)} {found().length === 1 ? "file" : "files"}
            {busy() ? ", searching on…" : more() ? "; narrow the search to see the rest" : ""}
          </span>
        </Show>
      </Show>
    </Show>
  );
}

function One(props: { row: Row; index: number; at: boolean; choose: () => void; keep: () => void }) {
  const row = props.row;
  const id = `found-${props.index}`;
  if (row.is === "around") {
    return <div class="around" aria-hidden="true"><span class="line-number">{row.line}</span><span class="code">{row.text.slice(0, 400)}</span></div>;
  }
  if (row.is === "file") {
    const folder = row.found.path.slice(0, -nameOf(row.found.path).length).replace(/^\/|\/$/g, "");
    return (
      <div class="found-file" classList={{ at: props.at }} role="treeitem" id={id} aria-level={1} aria-expanded={row.open} aria-selected={props.at} onClick={props.choose} title={row.found.path}>
        <Icon name="chevron" class={row.open ? "turned" : ""} />
        <bdi class="found-name">{nameOf(row.found.path)}</bdi>
        <bdi class="found-folder">{folder}</bdi>
        <b class="badge num">{row.found.matches.length}</b>
      </div>
    );
  }
  return (
    <div class="found-line" classList={{ at: props.at }} role="treeitem" id={id} aria-level={2} aria-selected={props.at} onClick={props.choose} onDblClick={props.keep}>
      <span class="line-number">{row.match.line}</span>
      <span class="code"><For each={parts(row.match.text)}>{(part) => (part.hit ? <mark>{part.text}</mark> : part.text)}</For></span>
    </div>
  );
}

/** Files and their lines as rows; lines around matches once each. */
function laidOut(all: readonly Found[], closed: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  for (const found of all) {
    const open = !closed.has(found.path);
    rows.push({ is: "file", found, open });
    if (!open) continue;
    const hits = new Set(found.matches.map((match) => match.line));
    let shown = 0;
    for (const match of found.matches) {
      const around = (texts: string[] | undefined, first: number) => texts?.forEach((text, at) => {
        const line = first + at;
        if (line <= shown || hits.has(line) || text.trim() === "") return;
        rows.push({ is: "around", text, line });
        shown = line;
      });
      around(match.before, match.line - (match.before?.length ?? 0));
      rows.push({ is: "match", path: found.path, match });
      shown = Math.max(shown, match.line);
      around(match.after, match.line + 1);
    }
  }
  return rows;
}
