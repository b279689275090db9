// When two wrote one file: both changes and what was before, side by side, and the text that comes of them.
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { createEffect, createMemo, createSignal, For, Index, on, onCleanup, onMount, Show } from "solid-js";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import type { Document } from "./document.ts";
import { merge3, merged, usual, type Choice, type Region } from "./merge3.ts";
import { basics, shadow } from "./setup.ts";

export default function ConflictView(props: { document: Document; theirs: { text: string } }) {
  const { document } = props;
  const mine = document.current();
  const regions = merge3(document.base, mine, props.theirs.text);
  const asked = regions.flatMap((region, at) => (region.kind === "conflict" ? [at] : []));
  const changed = regions.flatMap((region, at) => (region.kind === "same" ? [] : [at]));
  const [choices, setChoices] = createSignal<Record<number, Choice | undefined>>({});
  const open = createMemo(() => asked.filter((at) => choices()[at] === undefined).length);
  let host!: HTMLDivElement;
  let cards!: HTMLDivElement;
  let view: EditorView | undefined;
  onMount(() => {
    const root = shadow(host);
    const state = EditorState.create({ doc: merged(regions, {}), extensions: basics(mine, "Result of the merge") });
    view = new EditorView({ state, parent: root, root });
    (cards.querySelector<HTMLElement>(".region.conflict button") ?? cards).focus();
    onCleanup(() => view?.destroy());
  });
  // A choice writes the result anew; what was typed into it is kept apart by the history.
  createEffect(
    on(choices, (now) => view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(merged(regions, now)) } }), { defer: true }),
  );
  const step = (by: number) => {
    const all = [...cards.querySelectorAll<HTMLElement>(".region")];
    const at = all.findIndex((card) => card.contains(window.document.activeElement));
    const next = all[(at + by + all.length) % all.length];
    next?.querySelector<HTMLElement>("button")?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "F7") return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  return (
    <div class="conflict-view" onKeyDown={keys}>
      <header class="conflict-head">
        <div>
          <h2>Two wrote this file</h2>
          <p class="muted">
            <Show when={asked.length > 0} fallback="The changes do not touch each other; the result below has both.">
              {open() === 0 ? "Everything is decided." : `${open()} of ${asked.length} ${asked.length === 1 ? "place" : "places"} to decide.`} Nothing is written before you save.
            </Show>
          </p>
        </div>
        <span class="grow" />
        <Button icon="up" title="Shift+F7" onClick={() => step(-1)}>Previous</Button>
        <Button icon="down" title="F7" onClick={() => step(1)}>Next</Button>
        <Button onClick={() => document.later()}>Back to my text</Button>
        <Button look="primary" icon="save" disabled={document.facts.saving} onClick={() => view && void document.saveMerged(view.state.sliceDoc())}>Save the merge</Button>
      </header>
      <div class="regions" ref={cards} tabIndex={-1}>
        <div class="region-sides titles" aria-hidden="true"><span>Before</span><span>Yours</span><span>In the workspace</span></div>
        <For each={changed}>
          {(at) => (
            <Card region={regions[at]!} choice={choices()[at]} choose={(choice) => setChoices((all) => ({ ...all, [at]: choice }))} />
          )}
        </For>
      </div>
      <section class="conflict-result" aria-label="Result">
        <h3>Result <span class="muted">it can be edited</span></h3>
        <div ref={host} class="editor-host" />
      </section>
    </div>
  );
}

const WORDS: Record<Region["kind"], string> = { same: "", mine: "Only you changed this", theirs: "Only the workspace changed this", both: "Both made the same change", conflict: "Both changed this" };

function Card(props: { region: Region; choice: Choice | undefined; choose: (choice: Choice) => void }) {
  const pressed = (choice: Choice) => (props.choice ?? (props.region.kind === "conflict" ? undefined : usual(props.region))) === choice;
  const options: [Choice, string][] = [["mine", "Use yours"], ["theirs", "Use the workspace’s"], ["mine+theirs", "Both"], ["base", "Neither"]];
  return (
    <section class={`region ${props.region.kind}`} aria-label={WORDS[props.region.kind]}>
      <header>
        <Icon name={props.region.kind === "conflict" ? "warning" : "check"} />
        <span>{WORDS[props.region.kind]}</span>
        <span class="grow" />
        <Show when={props.region.kind !== "both"}>
          <Index each={options}>
            {(option) => <button type="button" class="choice" aria-pressed={pressed(option()[0])} onClick={() => props.choose(option()[0])}>{option()[1]}</button>}
          </Index>
        </Show>
      </header>
      <div class="region-sides">
        <Side label="Before" lines={props.region.base} />
        <Side label="Yours" lines={props.region.mine} />
        <Side label="In the workspace" lines={props.region.theirs} />
      </div>
    </section>
  );
}

function Side(props: { label: string; lines: string[] }) {
  return <pre tabIndex={0} aria-label={props.label} data-label={props.label}>{props.lines.length === 0 ? <span class="nothing">nothing</span> : props.lines.join("")}</pre>;
}
