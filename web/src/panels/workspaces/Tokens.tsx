// The tokens: who has one, for how long, and a way to make one or take it back.
import { createResource, createSignal, For, Show } from "solid-js";
import type { Token } from "../../../../clients/typescript/src/schema.ts";
import { asRpcError, type RpcError } from "../../rpc/errors.ts";
import { agent, agents } from "../../state/agents.ts";
import { rpc } from "../../state/connection.ts";
import { failed, sentence, toast } from "../../state/toasts.ts";
import { confirm } from "../../ui/ask.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { moment } from "../../ui/format.ts";
import { lately } from "./List.tsx";

const LIVES: [string, number | undefined][] = [["for ever", undefined], ["1 hour", 3_600_000], ["1 day", 86_400_000], ["30 days", 30 * 86_400_000], ["1 year", 365 * 86_400_000]];
/** More pages are not read; the rest is found with garth token list. */
const MOST = 2_000;

async function listed(): Promise<Token[]> {
  const all: Token[] = [];
  let cursor: string | undefined;
  do {
    const page = await rpc.call("tokens.list", cursor === undefined ? { limit: 500 } : { limit: 500, cursor });
    all.push(...(page.tokens as Token[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < MOST);
  return all.filter((one) => one.kind !== "session").sort((a, b) => b.createdMs - a.createdMs);
}

export function Tokens() {
  const [tokens, { refetch }] = createResource(() => listed().catch((thrown: unknown) => (failed("The tokens could not be listed")(thrown), [])));
  const [gone, setGone] = createSignal(false);
  const isGone = (one: Token) => Boolean(one.revokedMs) || (one.expiresMs ?? Infinity) < Date.now();
  const shown = () => (tokens.latest ?? []).filter((one) => gone() || !isGone(one));
  const revoke = async (one: Token) => {
    const name = one.label || one.id;
    const sure = await confirm({ title: `Take back ${name}?`, about: "Whoever uses it is disconnected within a second. This cannot be undone.", answer: "Take it back", danger: true });
    if (!sure) return;
    await rpc.call("tokens.revoke", { id: one.id }).then(() => toast({ kind: "done", title: `${name} was taken back` }), failed("It could not be taken back"));
    void refetch();
  };
  return (
    <>
      <NewToken made={() => void refetch()} />
      <label class="check"><input type="checkbox" checked={gone()} onChange={(event) => setGone(event.currentTarget.checked)} /><span>Also those that no longer hold</span></label>
      <ul class="workspace-list">
        <For each={shown()} fallback={<li class="empty">{tokens.loading ? "" : "There is none."}</li>}>
          {(one) => (
            <li class="workspace">
              <div class="workspace-text">
                <div>
                  <strong class="token-label"><bdi>{one.label || "without a label"}</bdi></strong>
                  <span class="tag">{one.role}{one.agent ? ` ${one.agent}` : ""}</span>
                  <Show when={one.revokedMs}><span class="tag bad">taken back</span></Show>
                </div>
                <p class="muted small"><span class="mono">{one.id}</span> · made {lately(one.createdMs)} · <span title={moment(one.expiresMs ?? undefined)}>{one.expiresMs ? (one.expiresMs < Date.now() ? "expired" : `until ${new Date(one.expiresMs).toLocaleDateString()}`) : "for ever"}</span></p>
              </div>
              <Show when={!isGone(one)}><IconButton icon="trash" label={`Take back ${one.label || one.id}`} onClick={() => void revoke(one)} /></Show>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}

function NewToken(props: { made: () => void }) {
  const [role, setRole] = createSignal<"operator" | "agent" | "user">("agent");
  const [of, setOf] = createSignal(agent() ?? agents()[0]?.id ?? "");
  const [life, setLife] = createSignal(3);
  const [label, setLabel] = createSignal("");
  const [secret, setSecret] = createSignal<string>();
  const [wrong, setWrong] = createSignal<RpcError>();
  const submit = async (event: Event) => {
    event.preventDefault();
    const ttlMs = LIVES[life()]?.[1];
    try {
      const made = await rpc.call("tokens.create", { role: role(), label: label(), ...(role() === "agent" ? { agentId: of() } : {}), ...(ttlMs === undefined ? {} : { ttlMs }) });
      setSecret(made.token);
      setWrong(undefined);
      setLabel("");
      props.made();
    } catch (thrown) {
      setWrong(asRpcError(thrown));
    }
  };
  const copy = () => void navigator.clipboard?.writeText(secret() ?? "").then(() => toast({ kind: "done", title: "The token is in the clipboard" }), failed("It could not be copied"));
  return (
    <form class="new-token" onSubmit={(event) => void submit(event)}>
      <select aria-label="Role" value={role()} onChange={(event) => setRole(event.currentTarget.value as "agent")}>
        <option value="agent">For an agent</option><option value="operator">For an operator</option><option value="user">For a user</option>
      </select>
      <Show when={role() === "agent"}>
        <select aria-label="Workspace" value={of()} onChange={(event) => setOf(event.currentTarget.value)}><For each={agents()}>{(one) => <option value={one.id}>{one.id}</option>}</For></select>
      </Show>
      <select aria-label="How long it is good" value={String(life())} onChange={(event) => setLife(Number(event.currentTarget.value))}><For each={LIVES}>{([word], at) => <option value={String(at())}>{word}</option>}</For></select>
      <input type="text" aria-label="Label" placeholder="Label: who has it" value={label()} onInput={(event) => setLabel(event.currentTarget.value)} />
      <Button type="submit" icon="plus">New token</Button>
      <Show when={wrong()} keyed>{(error) => <div class="notice wrong" role="alert">{sentence(error.message)} {error.hint}</div>}</Show>
      <Show when={secret()} keyed>
        {(secret) => (
          <div class="notice new-secret" role="status">
            <strong>Copy it now: it is shown once.</strong>
            <code class="secret">{secret}</code>
            <div><Button onClick={copy}>Copy</Button><Button onClick={() => setSecret(undefined)}>Done</Button></div>
          </div>
        )}
      </Show>
    </form>
  );
}
