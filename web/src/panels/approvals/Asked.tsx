// A question of an agent: what would happen, who asks, how long there is to answer. It never takes the focus by itself.
import { createSignal, For, Show } from "solid-js";
import type { Approval } from "../../rpc/methods.ts";
import { agent, choose } from "../../state/agents.ts";
import { shownKeys } from "../../state/commands.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { every } from "../../ui/every.ts";
import { answer, pending } from "./pending.ts";
import "./approvals.css";

const WORDS: [RegExp, string][] = [
  [/^(bash|terminal\.open)$/, "Run a command"],
  [/^(kill|input|terminal\..*)$/, "Act on a process"],
  [/^(write|worktree\.write|worktree\.upload.*)$/, "Write a file"],
  [/^(edit|apply_patch|worktree\.edit)$/, "Change files"],
  [/^(delete|worktree\.delete)$/, "Delete"],
  [/^(move|worktree\.move)$/, "Move or rename"],
  [/^(mkdir|worktree\.mkdir)$/, "Make a directory"],
  [/^(read|worktree\.read|worktree\.download|worktree\.archive)$/, "Read a file"],
  [/^(grep|glob|list|stat|diff|worktree\..*)$/, "Look at files"],
  [/^git$/, "Use git"],
];

export default function Asked() {
  const [now, setNow] = createSignal(Date.now());
  every(1_000, () => setNow(Date.now()));
  return (
    <Show when={pending()[0]} keyed>
      {(asked) => <One asked={asked} nowMs={now()} others={pending().length - 1} />}
    </Show>
  );
}

/** What would change, line by line; signs and colours say the same. */
function Change(props: { text: string }) {
  const kind = (line: string) => (line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "");
  return (
    <pre class="asked-change" tabIndex={0} aria-label="What would change">
      <For each={props.text.split("\n")}>{(line) => <span class={kind(line)}>{line + "\n"}</span>}</For>
    </pre>
  );
}

function One(props: { asked: Approval; nowMs: number; others: number }) {
  const { asked } = props;
  const word = WORDS.find(([name]) => name.test(asked.operation))?.[1] ?? "Do this";
  const left = () => Math.max(0, Math.ceil((asked.deadlineMs - props.nowMs) / 1_000));
  const lasts = () => (left() >= 120 ? `${Math.floor(left() / 60)} min` : `${left()} s`);
  const parts = asked.summary.split("; ").filter((part, _, all) => part !== "" && (part !== "/" || all.length === 1));
  return (
    <section class="asked" id="asked" tabIndex={-1} role="alertdialog" aria-modal="false" aria-labelledby="asked-title" aria-describedby="asked-about">
      <header>
        <Icon name="shield" />
        <h2 id="asked-title">{word}?</h2>
        <Show when={props.others > 0}><span class="tag warn">{props.others} more</span></Show>
        <span class="grow" />
        <span class="muted num" title="Without an answer it is refused">{lasts()}</span>
      </header>
      <progress max={Math.max(1, asked.deadlineMs - asked.askedMs)} value={Math.max(0, asked.deadlineMs - props.nowMs)} aria-label="Time to answer" />
      <div id="asked-about">
        <p class="muted">
          Asked in workspace <strong><bdi>{asked.agentId}</bdi></strong> by <bdi class="mono">{asked.caller}</bdi>, operation <code>{asked.operation}</code>
          <Show when={asked.agentId !== agent()}> · <button type="button" class="linkish" onClick={() => choose(asked.agentId)}>Show the workspace</button></Show>
        </p>
        <pre tabIndex={0} aria-label="What would happen">{parts.map((part) => part.replace(/^command: /, "$ ").replaceAll("\\x0a", "\n")).join("\n") || "It names no file and no command."}</pre>
        <Show when={asked.change} keyed>{(change) => <Change text={change} />}</Show>
      </div>
      <footer>
        <Button onClick={() => void answer(asked, "deny")} title={shownKeys("Mod+Alt+N")}>Deny</Button>
        <Button look="primary" onClick={() => void answer(asked, "allow")} title={shownKeys("Mod+Alt+Y")}>Allow once</Button>
      </footer>
    </section>
  );
}
