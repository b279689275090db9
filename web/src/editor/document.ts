// A file that is open: what it held when it was read, what stands in the editor, and what somebody wrote meanwhile.
//
// It outlives the view, so that going to another workspace and back loses nothing.
import type { EditorState } from "@codemirror/state";
import { createEffect, createRoot } from "solid-js";
import { createStore, type SetStoreFunction } from "solid-js/store";
import { asRpcError, type RpcError } from "../rpc/errors.ts";
import { rpc } from "../state/connection.ts";
import { mine } from "../state/own.ts";
import { allTabs, mark, type Tab } from "../state/tabs.ts";
import { failed, toast } from "../state/toasts.ts";

/** The most text that is edited, in bytes; more is shown from its beginning. */
export const MOST_TEXT = 10_000_000;

export interface Facts {
  is: "loading" | "text" | "image" | "binary" | "failed";
  error?: RpcError | undefined;
  size: number;
  modified?: string | undefined;
  version?: string | undefined;
  /** The encoding of the file where it is not UTF-8. */
  encoding?: string | undefined;
  /** The names of secrets that placeholders stand for. */
  secrets: string[];
  /** Only its beginning is here. */
  cut: boolean;
  saving: boolean;
  /** Somebody else wrote it while it was edited here. */
  changed: boolean;
  /** It is no longer there. */
  gone: boolean;
  /** What a save ran into: what is in the file now. */
  theirs?: { text: string; version: string | undefined } | undefined;
}

const IMAGES = /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i;
const documents = new Map<number, Document>();

/** The document of a tab. */
export function documentOf(tab: Tab): Document {
  let found = documents.get(tab.key);
  if (!found) documents.set(tab.key, (found = new Document(tab)));
  return found;
}

// What is closed is forgotten.
createRoot(() =>
  createEffect(() => {
    const open = new Set(allTabs().map((tab) => tab.key));
    for (const key of documents.keys()) if (!open.has(key)) documents.delete(key);
  }),
);

rpc.on("worktree.changed", ({ agentId, path, changeType }) => {
  for (const one of documents.values()) {
    if (one.tab.agent === agentId && one.path === path) void one.heard(changeType);
  }
});

export class Document {
  readonly tab: Tab;
  readonly facts: Facts;
  readonly #set: SetStoreFunction<Facts>;
  /** What the file held as it was last read or written. */
  base = "";
  /** The version it had when it was opened, to show what happened since. */
  first: string | undefined;
  /** What the editor holds, when no view shows it. */
  kept: EditorState | undefined;
  /** Sets the text of the view, where there is one. */
  show: ((text: string) => void) | undefined;
  /** The text of the view, or what was kept of it. */
  current: () => string = () => this.kept?.sliceDoc() ?? this.base;

  constructor(tab: Tab) {
    this.tab = tab;
    [this.facts, this.#set] = createStore<Facts>({ is: "loading", size: 0, secrets: [], cut: false, saving: false, changed: false, gone: false });
    void this.load();
  }

  get path(): string {
    return this.tab.shown.kind === "file" ? this.tab.shown.path : "";
  }

  /** Reads the file; what is edited is not touched. */
  async load(): Promise<void> {
    if (IMAGES.test(this.path)) return await this.#describe("image");
    try {
      const read = await this.#read();
      this.base = read.content;
      this.first ??= read.version;
      this.#set({
        is: "text", error: undefined, size: read.sizeBytes, modified: read.modifiedAt, version: read.version,
        encoding: read.fileEncoding, secrets: read.secrets ?? [], cut: read.truncated, changed: false, gone: false,
      });
      this.show?.(read.content);
    } catch (thrown) {
      const error = asRpcError(thrown);
      if (["UNSUPPORTED_ENCODING", "INVALID_ENCODING", "REDACTED_CONTENT"].includes(error.code)) await this.#describe("binary");
      else this.#set({ is: "failed", error });
    }
  }

  async #read() {
    return await rpc.call("worktree.read", { agentId: this.tab.agent, path: this.path, maxBytes: MOST_TEXT });
  }

  async #describe(is: "image" | "binary"): Promise<void> {
    try {
      const stat = await rpc.call("worktree.stat", { agentId: this.tab.agent, path: this.path });
      this.#set({ is, size: stat.sizeBytes ?? 0, modified: stat.modifiedAt, error: undefined });
    } catch (thrown) {
      this.#set({ is: "failed", error: asRpcError(thrown) });
    }
  }

  /** The editor says whether it differs from the file. */
  edited(dirty: boolean): void {
    if (this.tab.dirty !== dirty) mark(this.tab.id, dirty ? { dirty, preview: false } : { dirty });
  }

  /** Somebody wrote the file, or took it away. */
  async heard(how: "created" | "modified" | "deleted"): Promise<void> {
    if (this.facts.saving) return;
    if (how === "deleted") return this.#set("gone", true);
    if (this.facts.is === "image") return this.#set({ modified: new Date().toISOString() });
    if (this.facts.is !== "text") return await this.load();
    const read = await this.#read().catch(() => undefined);
    // The echo of our own write, or of one that changed nothing.
    if (!read || read.version === this.facts.version) return this.#set("gone", false);
    if (this.tab.dirty) return this.#set({ changed: true, gone: false });
    this.base = read.content;
    this.#set({ version: read.version, size: read.sizeBytes, modified: read.modifiedAt, secrets: read.secrets ?? [], cut: read.truncated, gone: false, changed: false });
    this.show?.(read.content);
  }

  /** Writes what stands in the editor, if the file is still what it was when it was read. */
  async save(): Promise<void> {
    if (this.facts.saving || this.facts.is !== "text" || this.facts.cut) return;
    const content = this.current();
    const version = this.facts.gone ? undefined : this.facts.version;
    await this.#write(content, version, this.facts.gone);
  }

  /** Writes a merge over what the others wrote, if that is still there. */
  async saveMerged(content: string): Promise<void> {
    if (await this.#write(content, this.facts.theirs?.version, false)) this.show?.(content);
  }

  async #write(content: string, version: string | undefined, create: boolean): Promise<boolean> {
    this.#set("saving", true);
    mine(this.path);
    try {
      const guard = version === undefined ? (create ? { overwrite: false } : {}) : { expectedVersion: version };
      const encoding = this.facts.encoding === undefined ? {} : { encoding: this.facts.encoding };
      const wrote = await rpc.call("worktree.write", { agentId: this.tab.agent, path: this.path, content, ...guard, ...encoding });
      this.base = content;
      this.#set({ version: wrote.version, size: wrote.sizeBytes, modified: wrote.modifiedAt, theirs: undefined, changed: false, gone: false });
      this.edited(this.current() !== content);
      return true;
    } catch (thrown) {
      const error = asRpcError(thrown);
      if (error.code === "CONFLICT" || error.code === "FILE_EXISTS") await this.conflict();
      else if (error.code === "FILE_NOT_FOUND") this.#set("gone", true);
      else failed(`${this.tab.title} was not saved`)(error);
      return false;
    } finally {
      this.#set("saving", false);
    }
  }

  /** Looks what the others wrote, so that both can be seen. */
  async conflict(): Promise<void> {
    try {
      const read = await this.#read();
      this.#set({ theirs: { text: read.content, version: read.version }, changed: true });
    } catch (thrown) {
      const error = asRpcError(thrown);
      if (error.code === "FILE_NOT_FOUND") this.#set({ gone: true, theirs: undefined });
      else failed("What the file holds now could not be read")(error);
    }
  }

  /** Leaves the conflict and goes on editing; nothing is written. */
  later(): void {
    this.#set("theirs", undefined);
  }

  /** Takes what is in the file, and gives the edits up. */
  async discard(): Promise<void> {
    const before = this.current();
    await this.load();
    this.#set("theirs", undefined);
    this.edited(false);
    const undo = () => (this.show?.(before), this.edited(before !== this.base));
    toast({ kind: "info", title: `${this.tab.title} is as in the workspace`, action: { label: "Undo", run: undo } });
  }
}
