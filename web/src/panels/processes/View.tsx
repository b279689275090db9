// What runs and what has ended, with a way to end it and to read what it printed.
import { createEffect, createSignal, For, on, onCleanup, Show } from "solid-js";
import type { PsResult } from "../../../../clients/typescript/src/schema.ts";
import { asRpcError, type RpcError } from "../../rpc/errors.ts";
import { agent } from "../../state/agents.ts";
import { link, rpc } from "../../state/connection.ts";
import { failed, sentence, toast } from "../../state/toasts.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { size } from "../../ui/format.ts";
import { every } from "../../ui/every.ts";
import { plain } from "./plain.ts";
import "./processes.css";

type Process = PsResult["processes"][number];

/** How often the list is read, in milliseconds. */
const EVERY = 2_000;
/** The most that is shown of what one printed. */
const TAIL = 200_000;

export default function View() {
  const [all, setAll] = createSignal<Process[]>();
  const [wrong, setWrong] = createSignal<RpcError>();
  const [ended, setEnded] = createSignal(false);
  const [read, setRead] = createSignal<string>();
  const look = async () => {
    const of = agent();
    if (of === undefined || link().is !== "open") return;
    try {
      const told = await rpc.call("ps", { agentId: of, limit: 500 });
      if (of !== agent()) return;
      setAll(told.processes);
      setWrong(undefined);
    } catch (thrown) {
      setWrong(asRpcError(thrown));
    }
  };
  createEffect(on(agent, () => (setAll(undefined), setRead(undefined), void look())));
  every(EVERY, () => void look());
  const shown = () => (all() ?? []).filter((one) => one.running || ended()).toReversed();
  const kill = async (one: Process) => {
    const of = agent();
    if (of === undefined) return;
    await rpc.call("kill", { agentId: of, id: one.id }).then(() => toast({ kind: "done", title: `${one.id} was ended` }), failed(`${one.id} could not be ended`));
    await look();
  };
  return (
    <div class="processes">
      <div class="processes-list">
        <div class="processes-head">
          <label class="check"><input type="checkbox" checked={ended()} onChange={(event) => setEnded(event.currentTarget.checked)} /><span>Also what has ended</span></label>
          <span class="muted num">{(all() ?? []).filter((one) => one.running).length} running</span>
        </div>
        <Show when={wrong()} keyed>{(error) => <div class="notice wrong">{sentence(error.message)} {error.hint}</div>}</Show>
        <div class="processes-scroll">
          <table>
            <caption class="sr">Processes</caption>
            <thead><tr><th scope="col">Process</th><th scope="col">Command</th><th scope="col">State</th><th scope="col" class="right">Age</th><th scope="col" class="right">Printed</th><th scope="col"><span class="sr">Actions</span></th></tr></thead>
            <tbody>
              <For each={shown()} fallback={<tr><td colSpan={6} class="muted nothing">{all() === undefined ? "" : "Nothing runs here."}</td></tr>}>
                {(one) => (
                  <tr classList={{ read: read() === one.id }}>
                    <td class="mono">{one.id}</td>
                    <td class="command"><button type="button" class="mono" title={`${one.command}\nShow what it printed`} onClick={() => setRead(one.id)}>{one.command}</button></td>
                    <td><State of={one} /></td>
                    <td class="right num">{lasting(one.age_ms)}</td>
                    <td class="right num">{size(one.printed_bytes)}</td>
                    <td><Show when={one.running}><IconButton icon="cross" label={`End ${one.id}`} onClick={() => void kill(one)} /></Show></td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </div>
      </div>
      <Show when={read()} keyed>{(id) => <Printed id={id} close={() => setRead(undefined)} />}</Show>
    </div>
  );
}

function State(props: { of: Process }) {
  const word = () => (props.of.running ? (props.of.background ? "running" : "running, waited for") : props.of.signal ? `ended by ${props.of.signal}` : `ended with ${props.of.exit_code ?? "?"}`);
  const look = () => (props.of.running ? "good" : props.of.exit_code === 0 ? "" : "bad");
  return <span class={`tag ${look()}`}>{word()}</span>;
}

/** What one printed, as text, following its end. */
function Printed(props: { id: string; close: () => void }) {
  const [text, setText] = createSignal("");
  const [told, setTold] = createSignal("");
  let box!: HTMLPreElement;
  const stop = new AbortController();
  onCleanup(() => stop.abort());
  const follow = async (of: string) => {
    let position: number | undefined;
    while (!stop.signal.aborted) {
      const from = position === undefined ? { tail: 51_200 } : { position };
      const page = await rpc.call("output", { agentId: of, id: props.id, wait_ms: 20_000, ...from }, { signal: stop.signal });
      const below = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
      setText((before) => (before + plain(page.output)).slice(-TAIL));
      if (below) box.scrollTop = box.scrollHeight;
      setTold(page.running ? "running" : page.signal ? `ended by ${page.signal}` : `ended with ${page.exit_code ?? "?"}`);
      if (!page.running && page.next >= page.total_bytes) return;
      position = page.next;
    }
  };
  const of = agent();
  if (of !== undefined) queueMicrotask(() => void follow(of).catch(failed(`What ${props.id} printed could not be read`)));
  return (
    <section class="printed" aria-label={`What ${props.id} printed`}>
      <header><strong class="mono">{props.id}</strong><span class="muted">{told()}</span><span class="grow" /><Button onClick={props.close}>Close</Button></header>
      <pre ref={box} tabIndex={0}>{text() === "" && told() !== "" ? "It printed nothing." : text()}</pre>
    </section>
  );
}

/** Such as 12 s, 3 min or 2 h. */
function lasting(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
