// The audit of the workspace: a chart, the limits, filters, and the records, each leading to its file.
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show } from "solid-js";
import { agent } from "../../state/agents.ts";
import { onConnected } from "../../state/connection.ts";
import { sentence } from "../../state/toasts.ts";
import { openFile } from "../../state/tabs.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { Rows, step } from "../../ui/Rows.tsx";
import { ago, count, moment, size } from "../../ui/format.ts";
import { every } from "../../ui/every.ts";
import { Chart, SPANS, type Span } from "./Chart.tsx";
import { Limits } from "./Limits.tsx";
import { entries, loaded, look, lookBack, wanted, wrong, type Entry, type Kind, type Wanted } from "./records.ts";
import "./activity.css";

/** How often it is asked what is new, in milliseconds; each time is on record itself. */
const EVERY = 3_000;
const ICONS: Record<Kind, IconName> = { read: "eye", write: "edit", command: "terminal", refused: "shield" };

const [by, setBy] = createSignal<Wanted>({ text: "", outcome: "all", who: "all", noise: false });
const [span, setSpan] = createSignal<Span>("1 h");

export default function View() {
  const [now, setNow] = createSignal(Date.now());
  const [chosen, setChosen] = createSignal<number>();
  let list: HTMLDivElement | undefined;
  onMount(() => void look());
  onCleanup(onConnected(() => void look()));
  createEffect(on(agent, () => (setChosen(undefined), void look()), { defer: true }));
  every(EVERY, () => (setNow(Date.now()), void look()));
  const shown = createMemo(() => wanted(entries(), by()));
  const at = createMemo(() => shown().findIndex((one) => one.sequence === chosen()));
  const entry = () => shown()[at()];
  const change = (made: Partial<Wanted>) => setBy({ ...by(), ...made });
  // A filter that leaves little looks further back, for a while.
  createEffect(on([by, loaded], () => void (async () => {
    for (let pages = 0; pages < 8 && shown().length < 20 && (await lookBack()); pages++);
  })()));
  const keys = (event: KeyboardEvent) => {
    const to = step(event, at(), shown().length);
    if (to !== undefined) setChosen(shown()[to]?.sequence);
    else if (event.key === "Enter" && entry()?.paths[0]) openFile(entry()!.paths[0]!);
    else return;
    event.preventDefault();
  };
  return (
    <div class="activity">
      <div class="activity-head">
        <div class="chart-head">
          <h3>Last {span()}</h3>
          <div class="spans" role="group" aria-label="Span of the chart">
            <For each={Object.keys(SPANS) as Span[]}>{(one) => <button type="button" aria-pressed={span() === one} onClick={() => setSpan(one)}>{one}</button>}</For>
          </div>
        </div>
        <Chart entries={shown()} span={span()} nowMs={now()} />
        <Limits entries={entries()} nowMs={now()} />
      </div>
      <div class="activity-filter" role="search" aria-label="Filter the activity">
        <input type="text" aria-label="Operation or path" placeholder="Operation or path" spellcheck={false} autocomplete="off" value={by().text} onInput={(event) => change({ text: event.currentTarget.value })} />
        <select aria-label="Outcome" value={by().outcome} onChange={(event) => change({ outcome: event.currentTarget.value as Wanted["outcome"] })}>
          <option value="all">All outcomes</option><option value="done">Done</option><option value="refused">Refused</option><option value="failed">Failed</option>
        </select>
        <select aria-label="Who" value={by().who} onChange={(event) => change({ who: event.currentTarget.value as Wanted["who"] })}>
          <option value="all">Everyone</option><option value="agent">Agents</option><option value="operator">Operators</option>
        </select>
      </div>
      <Show when={wrong()} keyed>{(error) => <div class="notice wrong">{sentence(error.message)} {error.hint}</div>}</Show>
      <Show when={shown().length > 0} fallback={<div class="empty">{loaded() ? "Nothing on record fits." : ""}</div>}>
        <Rows
          ref={(element) => (list = element)}
          each={shown()}
          at={at()}
          height={46}
          role="listbox"
          label="Activity, newest first"
          class="activity-list"
          tabIndex={0}
          active={at() >= 0 ? `record-${chosen()}` : undefined}
          onKeyDown={keys}
          onEnd={() => void lookBack()}
        >
          {(one) => <One entry={one} at={one.sequence === chosen()} nowMs={now()} choose={() => (setChosen(one.sequence), list?.focus())} open={() => one.paths[0] && openFile(one.paths[0], { preview: true })} />}
        </Rows>
      </Show>
      <Show when={entry()} keyed>{(one) => <Details entry={one} close={() => setChosen(undefined)} />}</Show>
    </div>
  );
}

function One(props: { entry: Entry; at: boolean; nowMs: number; choose: () => void; open: () => void }) {
  const one = props.entry;
  const command = /^command: (.*)$/.exec(one.about)?.[1];
  const about = command ?? (one.paths.join(", ") || one.about);
  return (
    <div class={`record ${one.kind}`} classList={{ at: props.at }} role="option" id={`record-${one.sequence}`} aria-selected={props.at} onClick={props.choose} onDblClick={props.open}>
      <Icon name={ICONS[one.kind]} />
      <div class="record-text">
        <div><strong>{one.operation}</strong><Show when={one.outcome !== "OK"}><span class={`tag ${one.kind === "refused" ? "bad" : "warn"}`}>{one.outcome}</span></Show></div>
        <bdi class="mono" title={about}>{about || " "}</bdi>
      </div>
      <div class="record-side"><span class="num" title={moment(one.timeMs)}>{ago(one.timeMs, props.nowMs)}</span><span>{one.role}</span></div>
    </div>
  );
}

function Details(props: { entry: Entry; close: () => void }) {
  const one = props.entry;
  return (
    <section class="record-details" aria-label={`Record ${one.sequence}`}>
      <Show when={one.paths.length > 0}>
        <div class="record-files">
          <For each={one.paths.slice(0, 6)}>{(path) => <button type="button" class="linkish" onClick={() => openFile(path)}><Icon name="file" /><bdi>{path}</bdi></button>}</For>
        </div>
      </Show>
      <Show when={one.about}><pre>{one.about}</pre></Show>
      <dl>
        <div><dt>When</dt><dd>{moment(one.timeMs)}</dd></div>
        <div><dt>Who</dt><dd><bdi>{one.role} {one.caller}</bdi></dd></div>
        <div><dt>Took</dt><dd class="num">{one.durationUs === undefined ? "" : `${count(Math.max(1, Math.round(one.durationUs / 1_000)))} ms`}</dd></div>
        <div><dt>In, out</dt><dd class="num">{size(one.bytesIn ?? 0)}, {size(one.bytesOut ?? 0)}</dd></div>
        <div><dt>Record</dt><dd class="mono">{one.sequence} · {one.hash.slice(0, 16)}</dd></div>
      </dl>
    </section>
  );
}
