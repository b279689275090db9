// The operator's dialog: all workspaces with their state, one of them being set up, and the tokens.
import { createSignal, Match, Show, Switch } from "solid-js";
import type { Agent } from "../../../../clients/typescript/src/schema.ts";
import { agents, choose, current, refresh } from "../../state/agents.ts";
import { failed } from "../../state/toasts.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Form } from "./Form.tsx";
import { List } from "./List.tsx";
import { Tokens } from "./Tokens.tsx";
import type { Begins } from "./overlay.tsx";
import "./workspaces.css";

type Place = { is: "list" } | { is: "new" } | { is: "one"; agent: Agent } | { is: "tokens" };

export default function View(props: { begins: Begins; close: () => void }) {
  const [place, setPlace] = createSignal<Place>(first(props.begins));
  void refresh().catch(failed("The workspaces could not be listed"));
  const title = () => {
    const now = place();
    return now.is === "new" ? "New workspace" : now.is === "one" ? `Workspace ${now.agent.id}` : now.is === "tokens" ? "Tokens" : "Workspaces";
  };
  const back = () => setPlace({ is: "list" });
  const saved = (id: string) => {
    const made = place().is === "new";
    if (!made) return back();
    choose(id);
    props.close();
  };
  return (
    <Dialog open wide onClose={props.close} title={title()}>
      <div class="workspaces">
        <Show when={place().is === "list" || place().is === "tokens"}>
          <div class="workspaces-head">
            <div class="switch" role="group" aria-label="What is shown">
              <button type="button" aria-pressed={place().is === "list"} onClick={back}>Workspaces</button>
              <button type="button" aria-pressed={place().is === "tokens"} onClick={() => setPlace({ is: "tokens" })}>Tokens</button>
            </div>
            <Show when={place().is === "list"}><Button look="primary" icon="plus" onClick={() => setPlace({ is: "new" })}>New workspace</Button></Show>
          </div>
        </Show>
        <Switch>
          <Match when={place().is === "list"}>
            <List configure={(agent) => setPlace({ is: "one", agent })} open={(id) => (choose(id), props.close())} />
          </Match>
          <Match when={place().is === "tokens"}><Tokens /></Match>
          <Match when={place().is === "new"}><Form cancel={back} saved={saved} /></Match>
          <Match when={one(place())} keyed>{(agent) => <Form agent={agent} cancel={back} saved={saved} />}</Match>
        </Switch>
      </div>
    </Dialog>
  );
}

function one(place: Place): Agent | undefined {
  return place.is === "one" ? (agents().find((agent) => agent.id === place.agent.id) ?? place.agent) : undefined;
}

function first(begins: Begins): Place {
  const now = current();
  if (begins === "this" && now) return { is: "one", agent: now };
  return begins === "new" || begins === "tokens" ? { is: begins } : { is: "list" };
}
