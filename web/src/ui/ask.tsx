// Questions in the middle of an action: `await confirm(…)` and `await askText(…)`, answered in one dialog.
import { createSignal, Show } from "solid-js";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

interface Question {
  title: string;
  about?: string;
  answer: string;
  danger?: boolean;
  /** A text is asked for, and this stands there first. */
  text?: { label: string; begins: string; select?: [number, number]; check?: (text: string) => string | undefined };
  done: (answer: string | undefined) => void;
}

const [question, setQuestion] = createSignal<Question>();

/** Asks whether to do it. */
export function confirm(ask: { title: string; about?: string; answer: string; danger?: boolean }): Promise<boolean> {
  return new Promise((resolve) => setQuestion({ ...ask, done: (answer) => resolve(answer !== undefined) }));
}

/** Asks for a text; nothing when it was given up. `check` says what is wrong with one. */
export function askText(ask: { title: string; about?: string; answer: string } & NonNullable<Question["text"]>): Promise<string | undefined> {
  const { title, about, answer, ...text } = ask;
  return new Promise((resolve) => setQuestion({ title, ...(about === undefined ? {} : { about }), answer, text, done: resolve }));
}

export function Questions() {
  const [value, setValue] = createSignal("");
  const wrong = () => question()?.text?.check?.(value());
  const settle = (answer: string | undefined) => {
    const asked = question();
    setQuestion(undefined);
    asked?.done(answer);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (!wrong()) settle(question()?.text ? value() : "");
  };
  return (
    <Show when={question()} keyed>
      {(asked) => (
        <Dialog open onClose={() => settle(undefined)} title={asked.title} about={asked.about}>
          <form onSubmit={submit}>
            <Show when={asked.text} keyed>
              {(text) => (
                <label class="field">
                  <span>{text.label}</span>
                  <input
                    type="text"
                    spellcheck={false}
                    autocomplete="off"
                    value={(setValue(text.begins), text.begins)}
                    aria-invalid={wrong() ? "true" : "false"}
                    aria-describedby="ask-wrong"
                    onInput={(event) => setValue(event.currentTarget.value)}
                    ref={(input) => queueMicrotask(() => (input.focus(), input.setSelectionRange(...(text.select ?? [0, text.begins.length]))))}
                  />
                  <small id="ask-wrong" class="wrong" role="status">{value() === text.begins ? "" : wrong()}</small>
                </label>
              )}
            </Show>
            <footer>
              <Button onClick={() => settle(undefined)}>Cancel</Button>
              <Button type="submit" look={asked.danger ? "danger" : "primary"} disabled={wrong() !== undefined}>{asked.answer}</Button>
            </footer>
          </form>
        </Dialog>
      )}
    </Show>
  );
}
