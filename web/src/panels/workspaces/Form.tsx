// One workspace being made or set up: everything the gateway lets an operator decide.
import { createSignal, For, Show, type JSX } from "solid-js";
import { createStore, unwrap } from "solid-js/store";
import type { Agent, Settings } from "../../../../clients/typescript/src/schema.ts";
import { asRpcError, type RpcError } from "../../rpc/errors.ts";
import { refresh } from "../../state/agents.ts";
import { rpc } from "../../state/connection.ts";
import { sentence, toast } from "../../state/toasts.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { asSettings, drafted, type Draft } from "./draft.ts";

const PROVIDERS = [
  ["local", "local: a sandbox of this machine's kernel"],
  ["podman", "podman: a container"],
  ["gvisor", "gvisor: a container with a kernel of its own"],
  ["none", "none: no commands"],
] as const;

export function Form(props: { agent?: Agent; cancel: () => void; saved: (id: string) => void }) {
  const before: Settings = props.agent?.settings ?? {};
  const [draft, setDraft] = createStore<Draft>(drafted(before));
  const [id, setId] = createSignal(props.agent?.id ?? "");
  const [busy, setBusy] = createSignal(false);
  const [wrong, setWrong] = createSignal<RpcError>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setWrong(undefined);
    const settings = asSettings(unwrap(draft), props.agent ? before : undefined);
    try {
      if (props.agent) await rpc.call("agents.update", { agentId: props.agent.id, settings: settings as Settings });
      else await rpc.call("agents.create", { agentId: id().trim(), settings: settings as Settings });
      await refresh();
      toast({ kind: "done", title: props.agent ? `${id()} is set up` : `${id()} was made` });
      props.saved(id().trim());
    } catch (thrown) {
      setWrong(asRpcError(thrown));
    } finally {
      setBusy(false);
    }
  };
  const text = (name: keyof Draft & string, label: string, more: { hint?: string; placeholder?: string; mono?: boolean; number?: boolean } = {}) => (
    <Field label={label} {...(more.hint ? { hint: more.hint } : {})}>
      <input type="text" inputMode={more.number ? "numeric" : "text"} class={more.mono ? "mono" : ""} placeholder={more.placeholder ?? ""} spellcheck={false} autocomplete="off" value={draft[name] as string} onInput={(event) => setDraft(name as "quota", event.currentTarget.value)} />
    </Field>
  );
  const area = (name: "deny" | "protect" | "excludePaths", label: string, hint: string) => (
    <Field label={label} hint={hint}>
      <textarea class="mono" rows={2} spellcheck={false} value={draft[name]} onInput={(event) => setDraft(name, event.currentTarget.value)} />
    </Field>
  );
  return (
    <form class="workspace-form" onSubmit={(event) => void submit(event)}>
      <div class="form-scroll">
        <Show when={!props.agent}>
          <Field label="Name" hint="Up to 64 letters, digits, dots, _ and -.">
            <input type="text" required spellcheck={false} autocomplete="off" value={id()} ref={(input) => queueMicrotask(() => input.focus())} onInput={(event) => setId(event.currentTarget.value)} />
          </Field>
        </Show>
        <div class="two">
          <Field label="Provider" hint="Where its commands run.">
            <select value={draft.provider} onChange={(event) => setDraft("provider", event.currentTarget.value)}>
              <For each={PROVIDERS}>{([value, words]) => <option value={value}>{words}</option>}</For>
            </select>
          </Field>
          <Show when={!props.agent} fallback={<Show when={before.directory}>{text("directory", "Directory", { mono: true })}</Show>}>
            {text("directory", "Directory", { placeholder: "its own", hint: "One on the gateway's machine that is adopted.", mono: true })}
          </Show>
        </div>
        <label class="check"><input type="checkbox" checked={draft.readOnly} onChange={(event) => setDraft("readOnly", event.currentTarget.checked)} /><span>Read only: every change is refused</span></label>

        <Part title="Approvals" open={draft.otherwise !== "allow" || draft.rules.length > 0}>
          <div class="two">
            <Field label="What no rule names">
              <select value={draft.otherwise} onChange={(event) => setDraft("otherwise", event.currentTarget.value as Draft["otherwise"])}>
                <option value="allow">is allowed</option><option value="ask">is asked about</option><option value="deny">is denied</option>
              </select>
            </Field>
            {text("waitSeconds", "Seconds to answer", { number: true, placeholder: "300" })}
          </div>
          <For each={draft.rules}>
            {(rule, at) => (
              <fieldset class="rule">
                <legend class="sr">Rule {at() + 1}</legend>
                <input type="text" aria-label="Operation" placeholder="Operation, such as bash" class="mono" spellcheck={false} required value={rule.operation} onInput={(event) => setDraft("rules", at(), "operation", event.currentTarget.value)} />
                <input type="text" aria-label="Path" placeholder="Path, any" class="mono" spellcheck={false} value={rule.path} onInput={(event) => setDraft("rules", at(), "path", event.currentTarget.value)} />
                <input type="text" aria-label="Command" placeholder="Command (regex), any" class="mono" spellcheck={false} value={rule.command} onInput={(event) => setDraft("rules", at(), "command", event.currentTarget.value)} />
                <select aria-label="Then" value={rule.then} onChange={(event) => setDraft("rules", at(), "then", event.currentTarget.value as "ask")}>
                  <option value="allow">allow</option><option value="ask">ask</option><option value="deny">deny</option>
                </select>
                <IconButton icon="trash" label={`Remove rule ${at() + 1}`} onClick={() => setDraft("rules", (all) => all.filter((_, one) => one !== at()))} />
              </fieldset>
            )}
          </For>
          <Button icon="plus" onClick={() => setDraft("rules", (all) => [...all, { operation: "", path: "", command: "", then: "ask" }])}>Add a rule</Button>
        </Part>

        <Part title="Files" open={draft.deny !== "" || draft.protect !== "" || draft.quota !== ""}>
          {area("deny", "Hidden from everyone", "Globs, one a line. What they match can be neither seen nor touched.")}
          {area("protect", "Protected", "Globs, one a line. What they match can be read and not changed.")}
          <div class="two">
            {text("quota", "Quota in MB", { number: true, placeholder: "none" })}
            {text("maxFile", "Largest file in MB", { number: true, placeholder: "none" })}
          </div>
        </Part>

        <Part title="Limits" open={false}>
          <div class="two">
            {text("requests", "Requests a minute", { number: true, placeholder: "as the gateway's" })}
            {text("bytes", "MB a minute", { number: true, placeholder: "as the gateway's" })}
            {text("reads", "Reads at once", { number: true, placeholder: "as the gateway's" })}
            {text("watches", "Watches", { number: true, placeholder: "as the gateway's" })}
            {text("processes", "Processes", { number: true, placeholder: "as the gateway's" })}
          </div>
        </Part>

        <Part title="Redaction" open={!draft.redacts || draft.patterns.length > 0}>
          <label class="check"><input type="checkbox" checked={draft.redacts} onChange={(event) => setDraft("redacts", event.currentTarget.checked)} /><span>Secrets are shown as placeholders</span></label>
          <For each={draft.patterns}>
            {(pattern, at) => (
              <fieldset class="rule pattern">
                <legend class="sr">Pattern {at() + 1}</legend>
                <input type="text" aria-label="Name of the secret" placeholder="NAME" class="mono" spellcheck={false} required value={pattern.name} onInput={(event) => setDraft("patterns", at(), "name", event.currentTarget.value)} />
                <input type="text" aria-label="Regular expression" placeholder="Regular expression" class="mono" spellcheck={false} required value={pattern.regex} onInput={(event) => setDraft("patterns", at(), "regex", event.currentTarget.value)} />
                <IconButton icon="trash" label={`Remove pattern ${at() + 1}`} onClick={() => setDraft("patterns", (all) => all.filter((_, one) => one !== at()))} />
              </fieldset>
            )}
          </For>
          <Button icon="plus" onClick={() => setDraft("patterns", (all) => [...all, { name: "", regex: "" }])}>Add a pattern</Button>
          {area("excludePaths", "Not redacted", "Globs, one a line. Files that they match are shown as they are.")}
        </Part>

        <Part title="Git remote" open={draft.gitUrl !== ""}>
          {text("gitUrl", "Address", { placeholder: "https://…", mono: true, hint: "Where git pushes to and pulls from, without a credential in it." })}
          <div class="two">
            {text("gitBranch", "Branch", { placeholder: "the remote's own", mono: true })}
            {text("gitCredential", "Credential", { placeholder: "none", mono: true, hint: "Its name in the gateway's configuration." })}
          </div>
        </Part>
      </div>
      <div role="alert"><Show when={wrong()} keyed>{(error) => <div class="notice wrong"><strong>{sentence(error.message)}</strong> {error.hint}</div>}</Show></div>
      <footer>
        <Button onClick={props.cancel}>Cancel</Button>
        <Button type="submit" look="primary" disabled={busy()}>{props.agent ? "Save" : "Create"}</Button>
      </footer>
    </form>
  );
}

function Field(props: { label: string; hint?: string; children: JSX.Element }) {
  return <label class="field"><span>{props.label}</span>{props.children}<Show when={props.hint}><small class="muted">{props.hint}</small></Show></label>;
}

function Part(props: { title: string; open: boolean; children: JSX.Element }) {
  return <details class="part" open={props.open}><summary>{props.title}</summary><div>{props.children}</div></details>;
}
