// What changed, with a choice of what the next commit takes, and its message.
import { createMemo, createSignal, For, Show } from "solid-js";
import { failed, toast } from "../../state/toasts.ts";
import { nameOf, openFile } from "../../state/tabs.ts";
import { askGit, badgeWord, letter, refreshGit, type GitFile, type GitReply } from "../../state/git.ts";
import { confirm } from "../../ui/ask.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { shownKeys } from "../../state/commands.ts";
import { bot } from "./Log.tsx";
import { compareWithCommit } from "./compare.ts";

interface Row {
  file: GitFile;
  group: "Conflicts" | "Staged" | "Changes" | "New files";
}

export function Changes(props: { status: GitReply; committed: () => void }) {
  const [message, setMessage] = createSignal("");
  const [left, setLeft] = createSignal<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = createSignal(false);
  const rows = createMemo<Row[]>(() => {
    const { conflicted = [], staged = [], changed = [], untracked = [] } = props.status;
    const of = (group: Row["group"], files: GitFile[]) => files.map((file) => ({ file, group }));
    // A file that is staged and changed again stands with the changes: a commit takes it as it is now.
    const again = new Set(changed.map((file) => file.path));
    return [...of("Conflicts", conflicted), ...of("Staged", staged.filter((file) => !again.has(file.path))), ...of("Changes", changed), ...of("New files", untracked)];
  });
  const groups = createMemo(() => [...new Set(rows().map((row) => row.group))]);
  const taken = () => rows().filter((row) => !left().has(row.file.path) && row.group !== "Conflicts");
  const take = (path: string, on: boolean) => setLeft((all) => {
    const next = new Set(all);
    if (on) next.delete(path);
    else next.add(path);
    return next;
  });
  const commit = async () => {
    if (taken().length === 0 || message().trim() === "" || busy()) return;
    setBusy(true);
    const files = taken().flatMap(({ file }) => (file.from === undefined ? [file.path] : [file.path, file.from]));
    try {
      const made = await askGit({ action: "commit", message: message(), files });
      toast({ kind: "done", title: `Committed ${made.commit?.slice(0, 10) ?? ""}`, hint: made.identity ?? "" });
      setMessage("");
      setLeft(new Set<string>());
      props.committed();
    } catch (thrown) {
      failed("It could not be committed")(thrown);
    } finally {
      setBusy(false);
      await refreshGit();
    }
  };
  return (
    <>
      <form class="git-commit" onSubmit={(event) => (event.preventDefault(), void commit())}>
        <textarea
          rows={2}
          aria-label="Message of the commit"
          placeholder={`Message (${shownKeys("Mod+Enter")} commits)`}
          value={message()}
          onInput={(event) => setMessage(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void commit()}
        />
        <Button type="submit" look="primary" icon="check" disabled={taken().length === 0 || message().trim() === "" || busy()}>
          Commit {taken().length === 0 ? "" : `${taken().length} ${taken().length === 1 ? "file" : "files"}`}
        </Button>
        <p class="small muted">By <bdi>{props.status.identity ?? bot() ?? "the workspace's bot"}</bdi>, whatever the repository's own settings say.</p>
      </form>
      <div class="git-changes">
        <For each={groups()} fallback={<p class="muted git-clean">Nothing changed since the last commit.</p>}>
          {(group) => (
            <section aria-label={group}>
              <h3>{group}</h3>
              <ul>
                <For each={rows().filter((row) => row.group === group)}>
                  {(row) => <Change row={row} taken={!left().has(row.file.path)} take={(on) => take(row.file.path, on)} />}
                </For>
              </ul>
            </section>
          )}
        </For>
        <Show when={props.status.truncated}><p class="muted git-clean">There is more than is shown.</p></Show>
      </div>
    </>
  );
}

function Change(props: { row: Row; taken: boolean; take: (on: boolean) => void }) {
  const { file, group } = props.row;
  const name = nameOf(file.path.replace(/\/$/, ""));
  const folder = file.path.replace(/^\/|\/$/g, "").slice(0, -name.length).replace(/\/$/, "");
  const badge = letter(file.kind);
  const look = async () => {
    if (group === "New files") return file.path.endsWith("/") ? undefined : openFile(file.path, { preview: true });
    await compareWithCommit(file.path);
  };
  const discard = async () => {
    const sure = await confirm({ title: `Discard what changed in ${name}?`, about: "The file becomes as it was in the last commit. This cannot be undone.", answer: "Discard", danger: true });
    if (!sure) return;
    await askGit({ action: "restore", files: [file.path], ref: "HEAD" }).catch(failed("It could not be discarded"));
    await refreshGit();
  };
  return (
    <li class="git-file">
      <Show when={group !== "Conflicts"}>
        <input type="checkbox" aria-label={`Take ${file.path} into the commit`} checked={props.taken} onChange={(event) => props.take(event.currentTarget.checked)} />
      </Show>
      <button type="button" class="git-name" title={`${file.path}: ${badgeWord(badge)}`} onClick={() => void look()}>
        <bdi>{name}</bdi><bdi class="muted small">{folder}</bdi>
      </button>
      <Show when={group === "Changes"}><IconButton icon="refresh" label={`Discard the changes of ${file.path}`} class="git-discard" onClick={() => void discard()} /></Show>
      <b class="git-badge" data-badge={badge} title={badgeWord(badge)}>{badge}<span class="sr">, {badgeWord(badge)}</span></b>
    </li>
  );
}
