// A directory page by page, with or without what ignore files name.
import { rpc } from "../../state/connection.ts";
import type { Entry } from "./tree.ts";

export type { Entry };

/** Entries of a page: the first is small, so that something is there at once; the others so that reading one is no stutter. */
const FIRST = 1_000;
const PAGE = 2_500;

export interface Page {
  entries: Entry[];
  more: boolean;
}

export interface What {
  agent: string;
  path: string;
  hidden: boolean;
  ignored: boolean;
}

export function listing(what: What): AsyncGenerator<Page> {
  return what.ignored ? everything(what) : respectful(what);
}

async function* everything({ agent, path, hidden }: What): AsyncGenerator<Page> {
  let cursor: string | undefined;
  do {
    const limit = cursor === undefined ? FIRST : PAGE;
    const params = { agentId: agent, path, includeHidden: hidden, limit };
    const page = await rpc.call("worktree.list", cursor === undefined ? params : { ...params, cursor });
    cursor = page.truncated ? page.nextCursor : undefined;
    const entries = page.entries.map((entry) => ({
      path: entry.path, name: entry.name, kind: entry.kind, type: entry.type, size: entry.sizeBytes, modified: entry.modifiedAt,
    }));
    yield { entries, more: cursor !== undefined };
  } while (cursor !== undefined);
}

/** The tool for models is the one that knows ignore files. */
async function* respectful({ agent, path, hidden }: What): AsyncGenerator<Page> {
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const limit = offset === 0 ? FIRST : PAGE;
    const page: { entries: { path: string; kind: string; size_bytes?: number; modified_at?: string }[]; truncated: boolean; next_offset?: number } =
      await rpc.call("list", { agentId: agent, path, include_hidden: hidden, include_ignored: false, limit, offset });
    offset = page.truncated ? page.next_offset : undefined;
    const entries = page.entries.map((entry): Entry => ({
      path: entry.path,
      name: entry.path.slice(entry.path.lastIndexOf("/") + 1),
      kind: entry.kind === "dir" ? "dir" : "file",
      type: entry.kind === "dir" || entry.kind === "file" ? undefined : entry.kind,
      size: entry.size_bytes,
      modified: entry.modified_at,
    }));
    yield { entries, more: offset !== undefined };
  }
}
