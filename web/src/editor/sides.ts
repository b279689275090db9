// The text of one side of a comparison, wherever it comes from.
import { rpc } from "../state/connection.ts";
import type { Side } from "../state/tabs.ts";

/** The text of a side; one of an earlier version is made from what is there and what changed since. */
export async function textOf(agentId: string, side: Side): Promise<string> {
  if ("text" in side) return side.text;
  const read = await rpc.call("worktree.read", { agentId, path: side.path });
  if (side.version === undefined) return read.content;
  const diff = await rpc.call("worktree.diff", { agentId, path: side.path, version: side.version, format: "json" });
  if (diff.truncated) throw new Error("the two differ too much to be compared here");
  return before(read.content, diff.hunks ?? []);
}

interface Hunk {
  newStart: number;
  newLines: number;
  lines: { kind: string; text: string; noNewline?: boolean }[];
}

/** The text that hunks lead away from. */
function before(now: string, hunks: Hunk[]): string {
  const lines = now.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (const hunk of [...hunks].reverse()) {
    const old = hunk.lines.filter((line) => line.kind !== "added").map((line) => (line.noNewline ? line.text : `${line.text}\n`));
    // One that adds nothing names the line that it stands behind.
    const at = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
    lines.splice(at, hunk.newLines, ...old);
  }
  return lines.join("");
}
