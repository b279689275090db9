// The repository: its branch, what changed, a commit in the making, and the commits before.
import { createSignal, Match, onMount, Show, Switch } from "solid-js";
import { failed, sentence, toast } from "../../state/toasts.ts";
import { askGit, git, refreshGit, type Git, type GitReply } from "../../state/git.ts";
import { askText } from "../../ui/ask.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu, type Item } from "../../ui/Menu.tsx";
import { Changes } from "./Changes.tsx";
import { Log } from "./Log.tsx";
import "./git.css";

/** Goes up with everything that may have moved a branch. */
const [moved, setMoved] = createSignal(0);

export default function View() {
  onMount(() => void refreshGit());
  const why = () => {
    const now = git();
    return now.is === "failed" || now.is === "none" ? now.why : undefined;
  };
  return (
    <Switch>
      <Match when={git().is === "unknown"}><div class="loading" aria-busy="true" /></Match>
      <Match when={git().is === "absent"}>
        <div class="empty"><h2>This gateway has no git</h2><p>Its version does not offer the operation <code>git</code>, or your token may not use it.</p></div>
      </Match>
      <Match when={git().is === "none"}>
        <div class="empty">
          <h2>There is no repository here</h2>
          <p>{why() && sentence(why()!.message)}</p>
          <Button onClick={() => void run({ action: "init" }, "A repository was made", "It could not be made")}>Make a repository</Button>
          <Button onClick={() => void run({ action: "clone" }, "The repository was cloned", "It could not be cloned")}>Clone the remote</Button>
        </div>
      </Match>
      <Match when={git().is === "failed"}>
        <div class="empty" role="alert"><h2>Git could not look</h2><p>{sentence(why()!.message)} {why()!.hint}</p><Button icon="refresh" onClick={() => void refreshGit()}>Try again</Button></div>
      </Match>
      <Match when={known(git())} keyed={false}>
        {(status) => (
          <div class="git">
            <Head status={status()} />
            <Changes status={status()} committed={() => setMoved(moved() + 1)} />
            <Log moved={moved()} />
          </div>
        )}
      </Match>
    </Switch>
  );
}

function known(now: Git): GitReply | undefined {
  return now.is === "known" ? now.status : undefined;
}

async function run(params: { action: string } & Record<string, unknown>, done: string, wrong: string): Promise<void> {
  try {
    await askGit(params);
    toast({ kind: "done", title: done });
  } catch (thrown) {
    failed(wrong)(thrown);
  }
  setMoved(moved() + 1);
  await refreshGit();
}

function Head(props: { status: GitReply }) {
  const [busy, setBusy] = createSignal(false);
  const branch = () => props.status.branch ?? (props.status.commit?.slice(0, 10) ?? "no commit yet");
  const doing = async (params: { action: string }, done: string, wrong: string) => {
    setBusy(true);
    await run(params, done, wrong);
    setBusy(false);
  };
  return (
    <div class="git-head">
      <Branches name={branch()} detached={props.status.detached ?? false} />
      <Show when={(props.status.ahead ?? 0) + (props.status.behind ?? 0) > 0}>
        <span class="git-counts num" title={`${props.status.ahead ?? 0} to push, ${props.status.behind ?? 0} to pull`}>
          <Show when={props.status.ahead}>{props.status.ahead}<Icon name="up" /></Show>
          <Show when={props.status.behind}>{props.status.behind}<Icon name="down" /></Show>
        </span>
      </Show>
      <span class="grow" />
      <IconButton icon="refresh" label="Fetch" disabled={busy()} onClick={() => void doing({ action: "fetch" }, "Fetched", "It could not be fetched")} />
      <IconButton icon="down" label="Pull" disabled={busy()} onClick={() => void doing({ action: "pull" }, "Pulled", "It could not be pulled")} />
      <IconButton icon="up" label="Push" disabled={busy()} onClick={() => void doing({ action: "push" }, "Pushed", "It could not be pushed")} />
    </div>
  );
}

function Branches(props: { name: string; detached: boolean }) {
  const [items, setItems] = createSignal<Item[]>([]);
  const make = async () => {
    const name = await askText({ title: "New branch", about: `It begins where ${props.name} is.`, answer: "Make it", label: "Name", begins: "", check: (text) => (text.trim() === "" || /\s/.test(text) ? "A name without spaces" : undefined) });
    if (name !== undefined) await run({ action: "checkout", branch: name }, `On ${name}`, "The branch could not be made");
  };
  // Read when the menu is reached for, so that it is there when it opens.
  const learn = () => void askGit({ action: "branch" }).then((told) => {
    const all: Item[] = (told.branches ?? []).slice(0, 100).map((one) => ({
      label: one.name,
      checked: one.current ?? false,
      run: () => void run({ action: "checkout", branch: one.name }, `On ${one.name}`, `${one.name} could not be checked out`),
    }));
    setItems([...all, "line", { label: "New branch…", icon: "plus", run: () => void make() }]);
  }).catch(failed("The branches could not be listed"));
  onMount(learn);
  return (
    <div class="git-branch" onPointerEnter={learn} onFocusIn={learn}>
      <Menu label={`Branch ${props.name}`} title={props.detached ? "No branch is checked out" : "Choose a branch"} items={items()} class="git-branch-button">
        <Icon name="git" /><bdi>{props.name}</bdi><Show when={props.detached}><span class="tag warn">detached</span></Show><Icon name="chevron" class="turn" />
      </Menu>
    </div>
  );
}
