// Short messages in a corner: what happened, what to do about it, and sometimes a way to undo it.
import { createStore, produce } from "solid-js/store";
import { asRpcError } from "../rpc/errors.ts";

export interface Toast {
  id: number;
  kind: "info" | "done" | "error";
  title: string;
  /** What to do, or more of what happened. */
  hint?: string;
  action?: { label: string; run: () => void };
  /** 0 to 1 for work that goes on; the message stays as long as it is there. */
  progress?: number;
}

/** How long a message stays, in milliseconds; one that can be undone or is wrong stays longer. */
const SHORT = 4_000;
const LONG = 10_000;
/** The most at a time; the oldest go. */
const MOST = 5;

const [toasts, setToasts] = createStore<Toast[]>([]);
export { toasts };
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let next = 0;

/** Shows a message; gives its number. */
export function toast(message: Omit<Toast, "id">): number {
  const id = ++next;
  setToasts(produce((all) => {
    all.push({ ...message, id });
    while (all.length > MOST) all.shift();
  }));
  if (message.progress === undefined) hideLater(id, message);
  return id;
}

/** Changes a message that is shown. */
export function update(id: number, message: Partial<Omit<Toast, "id">>): void {
  setToasts((one) => one.id === id, message);
  if (!("progress" in message) || message.progress !== undefined) return;
  const shown = toasts.find((one) => one.id === id);
  if (shown) hideLater(id, shown);
}

/** Takes a message away. */
export function dismiss(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
  setToasts((all) => all.filter((one) => one.id !== id));
}

/** Keeps messages while they are looked at, and lets them go after. */
export function hold(): void {
  for (const timer of timers.values()) clearTimeout(timer);
}
export function release(): void {
  for (const one of toasts) if (one.progress === undefined) hideLater(one.id, one);
}

/** Says that something failed, with the error's own hint; what was cancelled needs no words. */
export function failed(title: string): (thrown: unknown) => void {
  return (thrown) => {
    const error = asRpcError(thrown);
    if (error.code === "ABORTED") return;
    const hint = [`${sentence(error.message)}`, error.hint].filter(Boolean).join(" ");
    toast({ kind: "error", title, hint });
  };
}

/** A message of the gateway as a sentence. */
export function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(upper) ? upper : `${upper}.`;
}

function hideLater(id: number, message: Pick<Toast, "kind" | "action">): void {
  clearTimeout(timers.get(id));
  const stays = message.kind === "error" || message.action ? LONG : SHORT;
  timers.set(id, setTimeout(() => dismiss(id), stays));
}
