// The terminals of this tab: they outlive the panel, a lost connection and a reload.
//
// Each is kept by the gateway as a process; after a reload or a break it is attached again, and what it printed is replayed.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal, type ITheme } from "@xterm/xterm";
import { createStore, produce } from "solid-js/store";
import { asRpcError, type RpcError } from "../../rpc/errors.ts";
import { agent } from "../../state/agents.ts";
import { onConnected, rpc } from "../../state/connection.ts";
import { inertDocument, withoutStyles } from "./inert.ts";

export interface Shown {
  key: number;
  agent: string;
  title: string;
  state: "opening" | "live" | "ended" | "failed";
  /** How it ended. */
  end?: string;
  error?: RpcError;
  processId?: string;
}

interface Live {
  terminal: Terminal;
  fit: FitAddon;
  box: HTMLDivElement;
  session?: string;
  /** What was typed and is not sent. */
  typed: string;
  sending: boolean;
}

const KEY = "garth.terminals";
/** More are hard to tell apart, and each is a process. */
export const MOST = 8;
const LINES = 5_000;

const [shown, setShown] = createStore<{ all: Shown[]; front: Record<string, number | undefined> }>({ all: [], front: {} });
export { shown };
const lives = new Map<number, Live>();
const restored = new Set<string>();
let next = 0;

/** The terminals of the workspace that is shown. */
export function mine(): Shown[] {
  return shown.all.filter((one) => one.agent === agent());
}

export function front(): Shown | undefined {
  return mine().find((one) => one.key === shown.front[agent() ?? ""]) ?? mine().at(-1);
}

export function bring(key: number): void {
  setShown("front", agent() ?? "", key);
}

/** Opens a terminal, or attaches one that is there. */
export function open(processId?: string): number | undefined {
  const of = agent();
  if (of === undefined || mine().length >= MOST) return undefined;
  const key = ++next;
  const used = new Set(mine().map((one) => one.title));
  let number = 1;
  while (used.has(`bash ${number}`)) number += 1;
  const box = document.createElement("div");
  box.className = "terminal-box";
  lives.set(key, { ...screen(key), box, typed: "", sending: false });
  setShown(produce((state) => {
    state.all.push({ key, agent: of, title: `bash ${number}`, state: "opening", ...(processId === undefined ? {} : { processId }) });
    state.front[of] = key;
  }));
  return key;
}

function screen(key: number): Pick<Live, "terminal" | "fit"> {
  const style = getComputedStyle(document.documentElement);
  const terminal = new Terminal({
    documentOverride: inertDocument,
    allowProposedApi: false,
    cursorBlink: false,
    fontFamily: style.getPropertyValue("--mono").trim(),
    fontSize: parseFloat(style.getPropertyValue("--code")) || 13,
    lineHeight: 1.2,
    minimumContrastRatio: 4.5,
    scrollback: LINES,
    screenReaderMode: false,
    theme: theme(),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.onData((data) => type(key, data));
  terminal.attachCustomKeyEventHandler((event) => {
    // What belongs to the page: its commands, and a way out of the terminal.
    const mod = event.ctrlKey || event.metaKey;
    if (mod && event.shiftKey && event.code === "KeyC" && terminal.hasSelection()) {
      if (event.type === "keydown") void navigator.clipboard?.writeText(terminal.getSelection());
      event.preventDefault();
      return false;
    }
    return !(mod && (event.shiftKey || event.code === "KeyJ" || event.code === "Backquote" || event.code === "KeyP"));
  });
  return { terminal, fit };
}

/** Puts a terminal into the page; begins it when that is the first time. */
export function mount(key: number, place: HTMLElement): () => void {
  const live = lives.get(key);
  if (!live) return () => undefined;
  place.append(live.box);
  if (live.terminal.element === undefined) withoutStyles(() => live.terminal.open(live.box));
  fitNow(live);
  live.terminal.focus();
  if (shown.all.find((one) => one.key === key)?.state === "opening") void begin(key);
  let timer: ReturnType<typeof setTimeout>;
  const watch = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => resize(live), 80);
  });
  watch.observe(place);
  return () => {
    watch.disconnect();
    clearTimeout(timer);
    live.box.remove();
  };
}

async function begin(key: number): Promise<void> {
  const live = lives.get(key);
  const about = shown.all.find((one) => one.key === key);
  if (!live || !about || live.session !== undefined) return;
  const size = { cols: Math.max(2, live.terminal.cols), rows: Math.max(1, live.terminal.rows) };
  const change = (made: Partial<Shown>) => setShown("all", (one) => one.key === key, made);
  try {
    if (about.processId === undefined) {
      const told = await rpc.call("terminal.open", { agentId: about.agent, ...size, keep: true });
      live.session = told.sessionId;
      change({ state: "live", ...(told.processId === undefined ? {} : { processId: told.processId }) });
    } else {
      const told = await rpc.call("terminal.attach", { agentId: about.agent, processId: about.processId, ...size });
      live.terminal.reset();
      live.session = told.sessionId;
      change({ state: "live" });
    }
    keep();
  } catch (thrown) {
    const error = asRpcError(thrown);
    // A connection that broke is tried again when it is back.
    if (error.code === "CONNECTION_LOST") return;
    if (about.processId === undefined) change({ state: "failed", error });
    else change({ state: "ended", end: "It is no longer there." });
    keep();
  }
}

/** Closes a terminal and ends what runs in it. */
export function close(key: number): void {
  const live = lives.get(key);
  if (live?.session !== undefined) void rpc.call("terminal.close", { sessionId: live.session }).catch(() => undefined);
  live?.terminal.dispose();
  lives.delete(key);
  setShown("all", (all) => all.filter((one) => one.key !== key));
  keep();
}

/** Attaches again what a reload left. */
export function restore(): void {
  const of = agent();
  if (of === undefined || restored.has(of)) return;
  restored.add(of);
  for (const one of kept()) if (one.agent === of) open(one.processId);
}

export function focus(): void {
  const key = front()?.key;
  if (key !== undefined) lives.get(key)?.terminal.focus();
}

function type(key: number, data: string): void {
  const live = lives.get(key);
  if (!live) return;
  live.typed += data;
  if (!live.sending) void send(live);
}

/** One after the other, so that what is typed arrives in its order. */
async function send(live: Live): Promise<void> {
  live.sending = true;
  while (live.typed !== "" && live.session !== undefined) {
    const data = live.typed.slice(0, 65_536);
    live.typed = live.typed.slice(data.length);
    await rpc.call("terminal.input", { sessionId: live.session, data }).catch((thrown: unknown) => {
      const error = asRpcError(thrown);
      if (error.code !== "CONNECTION_LOST") live.terminal.write(`\r\n\x1b[31m${error.message}\x1b[0m\r\n`);
    });
  }
  live.sending = false;
}

function fitNow({ fit, box }: Live): void {
  if (box.clientWidth > 0 && box.clientHeight > 0) fit.fit();
}

function resize(live: Live): void {
  const { cols, rows } = live.terminal;
  fitNow(live);
  const now = live.terminal;
  if (live.session === undefined || (cols === now.cols && rows === now.rows)) return;
  void rpc.call("terminal.resize", { sessionId: live.session, cols: now.cols, rows: now.rows }).catch(() => undefined);
}

rpc.on("terminal.data", ({ sessionId, data, missingBytes }) => {
  const live = [...lives.values()].find((one) => one.session === sessionId);
  if (missingBytes) live?.terminal.write(`\r\n\x1b[2m… ${missingBytes} bytes are no longer kept …\x1b[0m\r\n`);
  live?.terminal.write(data);
});

rpc.on("terminal.exit", ({ sessionId, exitCode, reason }) => {
  const found = [...lives.entries()].find(([, one]) => one.session === sessionId);
  if (!found) return;
  delete found[1].session;
  const end = reason === "process_exit" || reason === "closed" ? `It ended with code ${exitCode ?? "unknown"}.` : "Its workspace was closed.";
  setShown("all", (one) => one.key === found[0], { state: "ended", end });
  keep();
});

onConnected(() => {
  for (const [key, live] of lives) {
    const about = shown.all.find((one) => one.key === key);
    if (about?.state !== "live" && about?.state !== "opening") continue;
    delete live.session;
    // One that was never in the page begins when it is.
    if (live.terminal.element !== undefined) void begin(key);
  }
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const live of lives.values()) live.terminal.options.theme = theme();
});

function theme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
  const made: ITheme = {
    background: of("bg"), foreground: of("fg"), cursor: of("accent"), cursorAccent: of("bg"), selectionBackground: of("term-selection"),
    scrollbarSliderBackground: of("line-strong"), scrollbarSliderHoverBackground: of("fg-faint"), scrollbarSliderActiveBackground: of("fg-faint"),
  };
  for (const name of names) {
    made[name] = of(`term-${name}`);
    made[`bright${name.charAt(0).toUpperCase()}${name.slice(1)}` as "brightRed"] = of(`term-${name}`);
  }
  return made;
}

function keep(): void {
  const all = shown.all.filter((one) => one.processId !== undefined && (one.state === "live" || one.state === "opening"));
  const others = kept().filter((one) => !restored.has(one.agent));
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...others, ...all.map(({ agent, processId }) => ({ agent, processId }))]));
  } catch {
    // Without storage a reload shows them under processes.
  }
}

function kept(): { agent: string; processId: string }[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as { agent: string; processId: string }[];
  } catch {
    return [];
  }
}
