// The line below: how the connection is, and what the file in front has to say.
import { createSignal, Match, onCleanup, Show, Switch } from "solid-js";
import { link, rpc } from "../state/connection.ts";
import { status } from "../state/status.ts";

export function Connection() {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 1_000);
  onCleanup(() => clearInterval(timer));
  return (
    <div class="connection" role="status" data-link={link().is}>
      <span class="dot" aria-hidden="true" />
      <Switch>
        <Match when={link().is === "open"}><span>Connected</span></Match>
        <Match when={link().is === "connecting"}><span>Connecting…</span></Match>
        <Match when={waiting(link())} keyed>
          {(until) => (
            <>
              <span>No connection; next try in <span class="num">{Math.max(0, Math.ceil((until - now()) / 1_000))}</span> s</span>
              <button type="button" class="linkish" onClick={() => rpc.retryNow()}>Try now</button>
            </>
          )}
        </Match>
        <Match when={link().is === "refused"}><span>Signed out</span></Match>
      </Switch>
    </div>
  );
}

function waiting(now: ReturnType<typeof link>): number | undefined {
  return now.is === "waiting" ? now.untilMs : undefined;
}

export function StatusBar() {
  return (
    <footer class="statusbar">
      <Connection />
      <span class="grow" />
      <Show when={status()}><span class="num">{status()}</span></Show>
    </footer>
  );
}
