// Shows that the client works on a real gateway: node works.ts URL TOKEN COMMANDS, where COMMANDS is
// yes where commands run. It ends with an error when something is not as it should be.
import { Garth, GarthError } from "../src/index.ts";
import type { Output } from "../src/index.ts";

declare const process: { argv: string[] };

const [url = "", token = "", commands = ""] = process.argv.slice(2);
const garth = new Garth({ url, token, session: "a test" });
const workspace = garth.workspace("default");

function same(is: unknown, should: unknown): void {
  const [left, right] = [JSON.stringify(is), JSON.stringify(should)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}

async function refused(call: Promise<unknown>): Promise<GarthError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof GarthError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

await workspace.call("write", { path: "a.txt", content: "one\n" });
const read = await workspace.call("read", { path: "a.txt" });
same(read.content, "1: one");
const stat = await garth.rpc("worktree.stat", { agentId: "default", path: "a.txt" });
same(stat.kind, "file");

const file = await workspace.readFile("a.txt");
same(new TextDecoder().decode(file.bytes), "one\n");
const written = await workspace.writeFile("a.txt", "two\n", { ifMatch: file.version ?? "" });
same(written.created, false);
const conflict = await refused(workspace.writeFile("a.txt", "three\n", { ifMatch: file.version ?? "" }));
same([conflict.status, conflict.code], [412, "CONFLICT"]);
await workspace.removeFile("a.txt");
same((await refused(workspace.readFile("a.txt"))).code, "FILE_NOT_FOUND");

const made = await garth.create({ id: "another", provider: "none" }, { idempotencyKey: "make" });
same(made.settings.provider, "none");
same((await garth.agents()).agents.map((agent) => agent.id), ["another", "default"]);
await garth.forget("another");

if (commands === "yes") {
  const heard: Output[] = [];
  const params = { command: "echo one; echo two >&2; exit 3" };
  const result = await workspace.stream("bash", params, (output) => heard.push(output));
  same([result.exit_code, result.stdout, result.stderr], [3, "one\n", "two\n"]);
  const printed = (stream: string) => heard.filter((one) => one.stream === stream).map((one) => one.text).join("");
  same([printed("stdout"), printed("stderr")], ["one\n", "two\n"]);
}
