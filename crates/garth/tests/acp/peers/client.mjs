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

class Editor {
  async sessionUpdate({ update }) {
    const text = update.content?.text;
    if (text === undefined) return;
    said.push(text);
    if (text === "waiting") waiting();
  }
  async requestPermission({ options }) {
    asked.push("permission");
    return { outcome: { outcome: "selected", optionId: options[0].optionId } };
  }
  async readTextFile({ path }) {
    asked.push(`read ${path}`);
    if (!(path in buffers)) throw acp.RequestError.resourceNotFound(path);
    return { content: buffers[path] };
  }
  async writeTextFile({ path, content }) {
    asked.push(`write ${path}`);
    buffers[path] = content;
    return {};
  }
  async createTerminal({ command, args }) {
    asked.push(`run ${command}`);
    const child = spawn(command, args ?? [], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => child.on("close", (exitCode, signal) => resolve({ exitCode, signal })));
    const terminal = { child, ended, output: "" };
    child.stdout.on("data", (data) => (terminal.output += data));
    const terminalId = `t${running.size}`;
    running.set(terminalId, terminal);
    return { terminalId };
  }
  async terminalOutput({ terminalId }) {
    return { output: running.get(terminalId).output, truncated: false };
  }
  async waitForTerminalExit({ terminalId }) {
    return running.get(terminalId).ended;
  }
  async killTerminal({ terminalId }) {
    running.get(terminalId).child.kill("SIGKILL");
    return {};
  }
  async releaseTerminal() {
    return {};
  }
}

const [command, ...words] = scene.command;
const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const agent = new acp.ClientSideConnection(() => new Editor(), stream);
const told = {};
await agent.initialize({
  protocolVersion: acp.PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: scene.fs, writeTextFile: scene.fs }, terminal: scene.terminal },
});
let { sessionId } = await agent.newSession({ cwd: scene.cwd, mcpServers: [] });

async function prompt(text) {
  said = [];
  const { stopReason } = await agent.prompt({ sessionId, prompt: [{ type: "text", text }] });
  return { said: said.join(""), stop: stopReason };
}

for (const text of scene.prompts) told[text] = await prompt(text);
if (scene.cancel) {
  const turn = prompt("wait");
  await isWaiting;
  await agent.cancel({ sessionId });
  told.wait = await turn;
}
if (scene.load) {
  said = [];
  await agent.loadSession({ cwd: scene.cwd, sessionId: "earlier", mcpServers: [] });
  sessionId = "earlier";
  told.load = { said: said.join(""), stop: "" };
  told["where, loaded"] = await prompt("where");
  told["servers, loaded"] = await prompt("servers");
}
if (scene.outside) {
  try {
    await agent.newSession({ cwd: scene.outside, mcpServers: [] });
    told.outside = { said: "let in", stop: "" };
  } catch (error) {
    told.outside = { said: error.message, stop: "" };
  }
}
child.stdin.end();
await new Promise((resolve) => child.on("close", resolve));
console.log(JSON.stringify({ told, asked, buffers }));
process.exit(0);
