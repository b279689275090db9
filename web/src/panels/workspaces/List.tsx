// All workspaces: provider, what runs, when something was last done, and what can be done with them.
import { createEffect, createMemo, createSignal, For, onCleanup, Show } from "solid-js";
import { createStore } from "solid-js/store";
import type { Agent } from "../../../../clients/typescript/src/schema.ts";
import { agent as shown, agents, choose, refresh } from "../../state/agents.ts";
import { rpc } from "../../state/connection.ts";
import { failed, toast } from "../../state/toasts.ts";
import { askText, confirm } from "../../ui/ask.tsx";
import { IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu, type Item } from "../../ui/Menu.tsx";
import { ago, moment, size } from "../../ui/format.ts";

/** Of so many it is asked what they do; the rest are named. */
const ASKED = 40;

interface Doing {
  running?: number;
  lastMs?: number;
  /** How large its files are together, and whether there are more than were counted. */
  bytes?: number;
  more?: boolean;
}

export function List(props: { configure: (agent: Agent) => void; open: (id: string) => void }) {
  const [doing, setDoing] = createStore<Record<string, Doing>>({});
  const [filter, setFilter] = createSignal("");
  const all = () => agents().filter((one) => one.id.toLowerCase().includes(filter().toLowerCase()));
  const asked = new Set<string>();
  // Each is a walk through all files: one after the other, and only as long as the list is looked at.
  let counting = Promise.resolve();
  let open = true;
  onCleanup(() => (open = false));
  createEffect(() => {
    for (const one of all().slice(0, ASKED)) {
      if (asked.has(one.id)) continue;
      asked.add(one.id);
      void ask(one).then((told) => setDoing(one.id, told));
      counting = counting.then(async () => {
        if (open) setDoing(one.id, await count(one));
      });
    }
  });
  return (
    <>
      <Show when={agents().length > 8}>
        <input type="text" aria-label="Filter by name" placeholder="Filter by name" spellcheck={false} value={filter()} onInput={(event) => setFilter(event.currentTarget.value)} />
      </Show>
      <ul class="workspace-list">
        {/* By their ids: what is read again is another object, and an open menu must not go with the old one. */}
        <For each={all().map((one) => one.id)} fallback={<li class="empty">{agents().length === 0 ? "There is no workspace yet." : "None has that name."}</li>}>
          {(id) => {
            const one = createMemo<Agent>((before) => agents().find((agent) => agent.id === id) ?? before, { id } as Agent);
            return <One agent={one()} doing={doing[id] ?? {}} {...props} />;
          }}
        </For>
      </ul>
    </>
  );
}

async function ask(one: Agent): Promise<Doing> {
  const told: Doing = {};
  const last = await rpc.call("audit.list", { workspace: one.id, limit: 1 }).catch(() => undefined);
  if (last?.records[0]) told.lastMs = last.records[0].timeMs;
  if (one.state !== "active" || one.settings.provider === "none") return told;
  const ps = await rpc.call("ps", { agentId: one.id, running_only: true }, { patience: 0 }).catch(() => undefined);
  if (ps) told.running = ps.total;
  return told;
}

async function count(one: Agent): Promise<Doing> {
  if (one.state !== "active") return {};
  const told = await rpc.call("worktree.usage", { agentId: one.id }).catch(() => undefined);
  return told ? { bytes: told.sizeBytes, more: told.truncated } : {};
}

function One(props: { agent: Agent; doing: Doing; configure: (agent: Agent) => void; open: (id: string) => void }) {
  const one = () => props.agent;
  const stopped = () => one().state === "stopped";
  const items = (): Item[] => [
    { label: "Configure…", icon: "settings", run: () => props.configure(one()) },
    stopped() ? { label: "Start", icon: "check", run: () => void start(one()) } : { label: "Stop…", icon: "cross", run: () => void stop(one()) },
    "line",
    { label: "Delete…", icon: "trash", danger: true, run: () => void remove(one()) },
  ];
  return (
    <li class="workspace" classList={{ here: one().id === shown() }}>
      <Icon name="agent" />
      <div class="workspace-text">
        <div>
          <button type="button" class="workspace-name" onClick={() => props.open(one().id)}>{one().id}</button>
          <span class="tag">{one().settings.provider ?? "local"}</span>
          <Show when={stopped()}><span class="tag bad">stopped</span></Show>
          <Show when={one().settings.readOnly}><span class="tag warn">read only</span></Show>
          <Show when={one().settings.approvals?.otherwise === "ask" || (one().settings.approvals?.rules?.length ?? 0) > 0}><span class="tag good">asks</span></Show>
        </div>
        <p class="muted small">
          <Show when={props.doing.running !== undefined}>{props.doing.running === 0 ? "Nothing runs" : `${props.doing.running} running`} · </Show>
          <Show when={props.doing.lastMs} fallback={<>made {lately(one().createdMs)}</>} keyed>{(last) => <span title={moment(last)}>last active {lately(last)}</span>}</Show>
          <Show when={props.doing.bytes !== undefined}> · {props.doing.more ? "over " : ""}{size(props.doing.bytes ?? 0)}</Show>
          <Show when={one().settings.git} keyed>{(git) => <> · <bdi>{git.url}</bdi></>}</Show>
        </p>
      </div>
      <IconButton icon="settings" label={`Configure ${one().id}`} onClick={() => props.configure(one())} />
      <Menu label={`More for ${one().id}`} items={items()} placement="bottom-end"><Icon name="more" /></Menu>
    </li>
  );
}

/** Such as "3 min ago". */
export function lately(ms: number): string {
  const word = ago(ms);
  return word === "now" || word.includes(",") ? word : `${word} ago`;
}

async function start(one: Agent): Promise<void> {
  await rpc.call("agents.start", { agentId: one.id }).then(() => toast({ kind: "done", title: `${one.id} was started` }), failed(`${one.id} could not be started`));
  await refresh().catch(() => undefined);
}

async function stop(one: Agent): Promise<void> {
  const sure = await confirm({
    title: `Stop ${one.id}?`,
    about: "What runs in it ends, and its calls are refused until it is started again. Its files and settings stay.",
    answer: "Stop it",
    danger: true,
  });
  if (!sure) return;
  await rpc.call("agents.stop", { agentId: one.id }).then(() => toast({ kind: "done", title: `${one.id} was stopped` }), failed(`${one.id} could not be stopped`));
  await refresh().catch(() => undefined);
}

async function remove(one: Agent): Promise<void> {
  const typed = await askText({
    title: `Delete ${one.id}?`,
    about: "Its tokens are taken back and what runs ends. Its files are left on the disk. Type its name to go on.",
    answer: "Delete it",
    label: "Name of the workspace",
    begins: "",
    check: (text) => (text === one.id ? undefined : `Type ${one.id}`),
  });
  if (typed === undefined) return;
  try {
    await rpc.call("agents.delete", { agentId: one.id });
    toast({ kind: "done", title: `${one.id} was deleted`, hint: "Its files are still on the disk." });
    await refresh();
    const next = agents()[0];
    if (one.id === shown() && next) choose(next.id);
  } catch (thrown) {
    failed(`${one.id} could not be deleted`)(thrown);
  }
}
