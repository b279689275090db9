// Runs facts of one group with the JavaScript client: node main.mjs MODULES PACKAGE GROUP.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, name, group] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/`));
const e2b = require(name);
const { Sandbox } = e2b;

const PATIENCE = 60_000;

function assert(holds, what) {
  if (!holds) throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

async function until(look, what) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert(Date.now() < deadline, `not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function raises(kind, call) {
  try {
    const given = await call();
    throw new Error(`${kind.name} was not raised, and this was given: ${JSON.stringify(given)}`);
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
}

const made = [];

async function create(options = {}) {
  const sandbox = await Sandbox.create({ timeoutMs: 300_000, ...options });
  made.push(sandbox);
  return sandbox;
}

let shared;
const sandboxOf = async () => (shared ??= await create());

async function commands_run() {
  const sandbox = await sandboxOf();
  const heard = [];
  const done = await sandbox.commands.run("echo out $ONE; echo err >&2; pwd; whoami", {
    envs: { ONE: "1" },
    onStdout: (text) => void heard.push(text),
  });
  assert(done.stdout === "out 1\n/home/user\nuser\n" && done.stderr === "err\n", done);
  assert(done.exitCode === 0 && heard.join("") === done.stdout, heard);
  const root = await sandbox.commands.run("id -u; sudo whoami; pwd", { user: "root" });
  assert(root.stdout === "0\nroot\n/root\n", root);
  const error = await raises(e2b.CommandExitError, () => sandbox.commands.run("exit 7"));
  assert(error.exitCode === 7, error);
}

async function input_and_kill() {
  const sandbox = await sandboxOf();
  const reader = await sandbox.commands.run("read line; echo got $line", { background: true, stdin: true });
  const listed = await sandbox.commands.list();
  assert(listed.some((process) => process.pid === reader.pid), listed);
  await sandbox.commands.sendStdin(reader.pid, "this\n");
  assert((await reader.wait()).stdout === "got this\n", reader);
  const sleeper = await sandbox.commands.run("setsid sleep 3001 & sleep 3002", { background: true });
  const count = async () => (await sandbox.commands.run("pgrep -f -c '^sleep 300[12]$' || true")).stdout;
  await until(async () => (await count()) === "2\n", "two that sleep");
  assert((await sandbox.commands.kill(sleeper.pid)) === true, "killed");
  await raises(e2b.CommandExitError, () => sleeper.wait());
  await until(async () => (await count()) === "0\n", "none that sleeps");
  await until(async () => (await sandbox.commands.kill(sleeper.pid)) === false, "that it is gone");
}

async function whoever_comes_back_hears_all() {
  const sandbox = await sandboxOf();
  const script = "echo before; until [ -e /tmp/go ]; do sleep 0.05; done; echo after";
  const handle = await sandbox.commands.run(script, { background: true });
  await handle.disconnect();
  const again = await sandbox.commands.connect(handle.pid);
  await sandbox.files.write("/tmp/go", "");
  assert((await again.wait()).stdout === "before\nafter\n", again);
}

async function a_timeout_ends_the_whole_group() {
  const sandbox = await sandboxOf();
  await raises(e2b.TimeoutError, () =>
    sandbox.commands.run("setsid sleep 4001 & sleep 4002", { timeoutMs: 1_500 }),
  );
  const count = async () => (await sandbox.commands.run("pgrep -f -c '^sleep 400[12]$' || true")).stdout;
  await until(async () => (await count()) === "0\n", "none that sleeps");
}

async function files_come_back() {
  const { files, commands } = await sandboxOf();
  const written = await files.write("text.txt", "häuser\n");
  assert(written.path === "/home/user/text.txt", written);
  assert((await files.read("text.txt")) === "häuser\n", "text");
  const content = new Uint8Array(300_000).map((_, at) => at % 251);
  await files.write("/tmp/js/bytes.bin", content.buffer);
  const back = await files.read("/tmp/js/bytes.bin", { format: "bytes" });
  assert(Buffer.compare(Buffer.from(back), Buffer.from(content)) === 0, "bytes");
  assert((await commands.run("stat -c %s /tmp/js/bytes.bin")).stdout === "300000\n", "size");
  assert((await files.exists("none.txt")) === false, "none");
  await raises(e2b.NotFoundError, () => files.read("none.txt"));
}

async function directories_are_made_listed_moved_and_removed() {
  const { files } = await sandboxOf();
  assert((await files.makeDir("tree/one")) === true, "made");
  assert((await files.makeDir("tree/one")) === false, "made twice");
  await files.write([
    { path: "tree/a.txt", data: "a" },
    { path: "tree/one/b.txt", data: "b" },
  ]);
  const names = (await files.list("tree", { depth: 2 })).map((entry) => entry.path.slice("/home/user/tree/".length));
  assert(JSON.stringify(names.sort()) === '["a.txt","one","one/b.txt"]', names);
  const moved = await files.rename("tree/a.txt", "tree/c.txt");
  assert(moved.path === "/home/user/tree/c.txt", moved);
  assert((await files.getInfo("tree/c.txt")).size === 1, "size");
  await files.remove("tree");
  assert((await files.exists("tree")) === false, "gone");
}

async function what_is_sent_is_packed_and_kept_with_what_is_said_of_it() {
  const { files } = await sandboxOf();
  const content = "line\n".repeat(50_000);
  await files.write("packed.txt", content, { gzip: true, metadata: { author: "me" } });
  assert((await files.read("packed.txt", { gzip: true })) === content, "packed");
  assert((await files.getInfo("packed.txt")).metadata?.author === "me", "metadata");
}

async function changes_are_told() {
  const { files } = await sandboxOf();
  await files.makeDir("seen");
  const seen = [];
  const handle = await files.watchDir("seen", (event) => void seen.push(`${event.type} ${event.name}`), {
    recursive: true,
  });
  await files.write("seen/new.txt", "x");
  await until(() => seen.includes("create new.txt"), "a new file");
  await files.remove("seen/new.txt");
  await until(() => seen.includes("remove new.txt"), "a removal");
  await handle.stop();
}

async function a_terminal_is_typed_into() {
  const sandbox = await sandboxOf();
  let printed = "";
  const handle = await sandbox.pty.create({
    cols: 80,
    rows: 24,
    timeoutMs: 0,
    onData: (data) => void (printed += new TextDecoder().decode(data)),
  });
  await sandbox.pty.sendInput(handle.pid, new TextEncoder().encode("echo answer-$((40+2))\n"));
  await until(() => printed.includes("answer-42"), "an answer");
  await sandbox.pty.resize(handle.pid, { cols: 101, rows: 31 });
  await sandbox.pty.sendInput(handle.pid, new TextEncoder().encode("stty size\n"));
  await until(() => printed.includes("31 101"), "the new size");
  assert((await sandbox.pty.kill(handle.pid)) === true, "killed");
}

async function signed_addresses_give_one_file() {
  const sandbox = await sandboxOf();
  await sandbox.files.write("signed.txt", "secret");
  const url = await sandbox.downloadUrl("signed.txt", { useSignatureExpiration: 300 });
  assert((await (await fetch(url)).text()) === "secret", url);
  assert((await fetch(url.replace("signed.txt", "text.txt"))).status === 401, "another file");
}

async function a_sandbox_is_listed_paused_met_and_ended() {
  const sandbox = await create({ metadata: { who: "a & b" } });
  const found = Sandbox.list({ query: { metadata: { who: "a & b" } } });
  const items = await found.nextItems();
  assert(items.length === 1 && items[0].sandboxId === sandbox.sandboxId, items);
  await sandbox.setTimeout(600_000);
  await sandbox.files.write("kept.txt", "kept");
  await (sandbox.pause ?? sandbox.betaPause).call(sandbox);
  assert((await sandbox.isRunning()) === false, "paused");
  const again = await Sandbox.connect(sandbox.sandboxId);
  assert((await again.files.read("kept.txt")) === "kept", "kept");
  assert((await again.getInfo()).state === "running", "running");
  assert((await again.kill()) === true, "killed");
  assert((await again.isRunning()) === false, "ended");
}

async function basics() {
  await commands_run();
  const { files } = await sandboxOf();
  await files.write("text.txt", "text");
  assert((await files.read("text.txt")) === "text", "text");
  const [entry] = await files.list("/home/user");
  assert(entry.name === "text.txt", entry);
}

const GROUPS = {
  basics: [basics],
  all: [
    commands_run,
    input_and_kill,
    whoever_comes_back_hears_all,
    a_timeout_ends_the_whole_group,
    files_come_back,
    directories_are_made_listed_moved_and_removed,
    what_is_sent_is_packed_and_kept_with_what_is_said_of_it,
    changes_are_told,
    a_terminal_is_typed_into,
    signed_addresses_give_one_file,
    a_sandbox_is_listed_paused_met_and_ended,
  ],
};

let failed = 0;
for (const fact of GROUPS[group]) {
  try {
    await fact();
    console.log(`ok ${fact.name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${fact.name}`, error);
  }
}
for (const sandbox of made) await sandbox.kill();
process.exit(failed === 0 ? 0 : 1);
