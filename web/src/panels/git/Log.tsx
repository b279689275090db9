// The commits before, newest first; each shows its files.
import { createEffect, createSignal, For, on, Show } from "solid-js";
import { agent } from "../../state/agents.ts";
import { failed } from "../../state/toasts.ts";
import { nameOf, openDiff } from "../../state/tabs.ts";
import { askGit, badgeWord, letter, type GitCommit, type GitFile } from "../../state/git.ts";
import { Button } from "../../ui/Button.tsx";
import { ago, moment } from "../../ui/format.ts";
import { sides } from "./sides.ts";

const PAGE = 30;

/** The bot, as the newest of its commits names it. */
const [bot, setBot] = createSignal<string>();
export { bot };

export function Log(props: { moved: number }) {
  const [commits, setCommits] = createSignal<readonly GitCommit[]>([]);
  const [more, setMore] = createSignal(false);
  const [chosen, setChosen] = createSignal<string>();
  const learn = async (offset: number) => {
    try {
      const told = await askGit({ action: "log", limit: PAGE, offset });
      setCommits((before) => [...before.slice(0, offset), ...(told.commits ?? [])]);
      setMore(told.truncated ?? false);
      const by = commits().find((one) => one.committer.endsWith("[bot]"));
      if (offset === 0) setBot(by && (by.committer === by.author && by.email ? `${by.author} <${by.email}>` : by.committer));
    } catch (thrown) {
      // A repository without a commit has no log.
      if (offset > 0) failed("The log could not be read")(thrown);
    }
  };
  createEffect(on([agent, () => props.moved], () => void learn(0)));
  return (
    <section class="git-log" aria-label="Commits">
      <h3>Commits</h3>
      <ol>
        <For each={commits()} fallback={<li class="muted git-clean">There is no commit yet.</li>}>
          {(one) => (
            <li>
              <button type="button" class="git-one" aria-expanded={chosen() === one.id} onClick={() => setChosen(chosen() === one.id ? undefined : one.id)}>
                <span class="git-subject"><bdi>{one.subject}</bdi></span>
                <span class="git-by muted small"><bdi>{one.author}</bdi> · <span title={moment(one.date)}>{ago(one.date)}</span> · <span class="mono">{one.id.slice(0, 8)}</span></span>
              </button>
              <Show when={chosen() === one.id}><Commit of={one} /></Show>
            </li>
          )}
        </For>
      </ol>
      <Show when={more()}><Button onClick={() => void learn(commits().length)}>Older commits</Button></Show>
    </section>
  );
}

function Commit(props: { of: GitCommit }) {
  const [files, setFiles] = createSignal<GitFile[]>();
  askGit({ action: "show", ref: props.of.id }).then((told) => setFiles(told.files ?? []), failed("The commit could not be read"));
  const look = async (file: GitFile) => {
    const parent = props.of.parents[0];
    const name = nameOf(file.path);
    try {
      const told = parent === undefined
        ? await askGit({ action: "show", ref: props.of.id, files: [file.path], limit: 20_000 })
        : await askGit({ action: "diff", ref: parent, to: props.of.id, files: [file.path], context: 1_000, limit: 20_000 });
      const { before, after } = sides(told.diff ?? "");
      openDiff({ title: `${name} (before)`, text: before }, { title: `${name} (${props.of.id.slice(0, 8)})`, text: after });
    } catch (thrown) {
      failed("It could not be compared")(thrown);
    }
  };
  return (
    <div class="git-details">
      <Show when={props.of.body}><pre>{props.of.body}</pre></Show>
      <ul>
        <For each={files()}>
          {(file) => (
            <li class="git-file">
              <button type="button" class="git-name" title={file.path} onClick={() => void look(file)}><bdi>{nameOf(file.path)}</bdi></button>
              <span class="small num"><span class="plus">+{file.additions ?? 0}</span> <span class="minus">−{file.deletions ?? 0}</span></span>
              <b class="git-badge" data-badge={letter(file.kind)} title={badgeWord(letter(file.kind))}>{letter(file.kind)}</b>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
