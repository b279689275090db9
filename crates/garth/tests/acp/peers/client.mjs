// A client on the TypeScript SDK: it prompts an agent and tells what it answered, and what it asked for.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [packages, given] = process.argv.slice(2);
const scene = JSON.parse(given);
const require = createRequire(pathToFileURL(`${packages}/`));
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));

const buffers = { ...scene.buffers };
const asked = [];
let said = [];
const running = new Map();
let waiting;
const isWaiting = new Promise((resolve) => (waiting = resolve));

const { client: asks, agent: answers } = acp.methods;
const editor = acp
  .client({ name: "editor" })
  .onNotification(asks.session.update, ({ params: { update } }) => {
    const text = update.content?.text;
    if (text === undefined) return;
    said.push(text);
    if (text === "waiting") waiting();
  })
  .onRequest(asks.session.requestPermission, ({ params: { options } }) => {
    asked.push("permission");
    return { outcome: { outcome: "selected", optionId: options[0].optionId } };
  })
  .onRequest(asks.fs.readTextFile, ({ params: { path } }) => {
    asked.push(`read ${path}`);
    if (!(path in buffers)) throw acp.RequestError.resourceNotFound(path);
    return { content: buffers[path] };
  })
  .onRequest(asks.fs.writeTextFile, ({ params: { path, content } }) => {
    asked.push(`write ${path}`);
    buffers[path] = content;
    return {};
  })
  .onRequest(asks.terminal.create, ({ params: { command, args } }) => {
    asked.push(`run ${command}`);
    const child = spawn(command, args ?? [], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => child.on("close", (exitCode, signal) => resolve({ exitCode, signal })));
    const terminal = { child, ended, output: "" };
    child.stdout.on("data", (data) => (terminal.output += data));
    const terminalId = `t${running.size}`;
    running.set(terminalId, terminal);
    return { terminalId };
  })
  .onRequest(asks.terminal.output, ({ params: { terminalId } }) => {
    return { output: running.get(terminalId).output, truncated: false };
  })
  .onRequest(asks.terminal.waitForExit, ({ params: { terminalId } }) => running.get(terminalId).ended)
  .onRequest(asks.terminal.kill, ({ params: { terminalId } }) => {
    running.get(terminalId).child.kill("SIGKILL");
    return {};
  })
  .onRequest(asks.terminal.release, () => ({}));

const [command, ...words] = scene.command;
const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const told = {};

await editor.connectWith(stream, async (agent) => {
  await agent.request(answers.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: scene.fs, writeTextFile: scene.fs }, terminal: scene.terminal },
  });
  const begin = { cwd: scene.cwd, mcpServers: [] };
  let { sessionId } = await agent.request(answers.session.new, begin);

  async function prompt(text) {
    said = [];
    const question = { sessionId, prompt: [{ type: "text", text }] };
    const { stopReason } = await agent.request(answers.session.prompt, question);
    return { said: said.join(""), stop: stopReason };
  }

  for (const text of scene.prompts) told[text] = await prompt(text);
  if (scene.cancel) {
    const turn = prompt("wait");
    await isWaiting;
    await agent.notify(answers.session.cancel, { sessionId });
    told.wait = await turn;
  }
  if (scene.load) {
    said = [];
    await agent.request(answers.session.load, { ...begin, sessionId: "earlier" });
    sessionId = "earlier";
    told.load = { said: said.join(""), stop: "" };
    told["where, loaded"] = await prompt("where");
    told["servers, loaded"] = await prompt("servers");
  }
  if (scene.outside) {
    try {
      await agent.request(answers.session.new, { ...begin, cwd: scene.outside });
      told.outside = { said: "let in", stop: "" };
    } catch (error) {
      told.outside = { said: error.message, stop: "" };
    }
  }
});
child.stdin.end();
await new Promise((resolve) => (child.exitCode === null ? child.on("close", resolve) : resolve()));
console.log(JSON.stringify({ told, asked, buffers }));
process.exit(0);
