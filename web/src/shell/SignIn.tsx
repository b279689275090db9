// The way in by a token, on a page of its own, or over the workspace when a session ended.
import { createSignal, Show } from "solid-js";
import { asRpcError, type RpcError } from "../rpc/errors.ts";
import { session, signIn } from "../state/session.ts";
import { sentence } from "../state/toasts.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Mark } from "./Mark.tsx";

function Form(props: { why: RpcError | undefined }) {
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal(props.why);
  let token!: HTMLInputElement;
  let keep!: HTMLInputElement;
  const submit = async (event: Event) => {
    event.preventDefault();
    const text = token.value.trim();
    if (text === "" || busy()) return;
    setBusy(true);
    try {
      await signIn(text, keep.checked);
    } catch (thrown) {
      setError(asRpcError(thrown));
      token.focus();
      token.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <label class="field">
        <span>Token</span>
        <input
          ref={(input) => ((token = input), queueMicrotask(() => input.focus()))}
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          placeholder="garth_…"
          aria-describedby="sign-in-wrong"
        />
      </label>
      <label class="check">
        <input ref={keep} type="checkbox" />
        <span>Stay signed in while this tab is open</span>
      </label>
      <div id="sign-in-wrong" role="alert">
        <Show when={error()} keyed>
          {(error) => (
            <div class="notice wrong">
              <strong>{sentence(error.message)}</strong> {error.hint}
            </div>
          )}
        </Show>
      </div>
      <Button type="submit" look="primary" disabled={busy()}>{busy() ? "Signing in…" : "Sign in"}</Button>
    </form>
  );
}

export function SignIn() {
  const why = () => {
    const now = session();
    return now.is === "out" ? now.why : undefined;
  };
  return (
    <main class="entrance">
      <div class="entrance-card">
        <Mark />
        <h1>Sign in to Garth</h1>
        <p class="muted">The workspaces of your agents, behind this gateway.</p>
        <Form why={why()} />
        <p class="small muted">
          The address that <code>garth serve</code> prints signs an operator in without a token. A token for one agent is made
          with <code>garth token create --role agent --agent ID</code>.
        </p>
      </div>
    </main>
  );
}

/** Asks again, over what was open, so that nothing which was edited is lost. */
export function Over() {
  const why = () => {
    const now = session();
    return now.is === "over" ? now.why : undefined;
  };
  return (
    <Dialog open must onClose={() => undefined} title="Your session has ended" about="Sign in to go on where you were. What you edited is still here.">
      <Form why={why()} />
    </Dialog>
  );
}
