// Drives the gateway with the client that the OpenClaw project publishes, unchanged.
//
// Arguments: where its packages are, and a scene as JSON: url, token, agent. It prints
// one line for each fact that holds, and ends with an error at the first that does not.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [packages, sceneText] = process.argv.slice(2);
const scene = JSON.parse(sceneText);
const from = (path) => import(pathToFileURL(`${packages}/${path}`));
const { GatewayClient, GatewayClientRequestError } = await from("@openclaw/gateway-client/dist/index.mjs");
const protocol = await from("@openclaw/gateway-protocol/dist/index.mjs");
const { Value } = await from("typebox/build/value/index.mjs");

const fits = (schema, value, what) => {
  const errors = [...Value.Errors(schema, value)];
  assert.ok(Value.Check(schema, value), `${what}: ${JSON.stringify(errors.slice(0, 3))}`);
};

// Connects, and gives the client, what it was told and what it hears.
async function connected(token) {
  const events = [];
  const waiting = [];
  const hello = Promise.withResolvers();
  const client = new GatewayClient({
    url: scene.url,
    token,
    minProtocol: protocol.PROTOCOL_VERSION ?? 4,
    maxProtocol: protocol.PROTOCOL_VERSION ?? 4,
    onHelloOk: (told) => hello.resolve(told),
    onConnectError: (error) => hello.reject(error),
    onEvent: (event) => {
      events.push(event);
      waiting.splice(0).forEach((wake) => wake());
    },
  });
  client.start();
  const told = await hello.promise;
  const event = async (name) => {
    for (;;) {
      const at = events.findIndex((one) => one.event === name);
      if (at >= 0) return events.splice(at, 1)[0];
      await new Promise((wake) => waiting.push(wake));
    }
  };
  return { client, told, event };
}

async function refused(promise, code) {
  const error = await promise.then(() => assert.fail(`${code} was expected`), (error) => error);
  assert.ok(error instanceof GatewayClientRequestError, String(error));
  assert.equal(error.gatewayCode ?? error.code, code, String(error));
  return error;
}

const holds = (fact) => console.log(`holds: ${fact}`);

const { client, told, event } = await connected(scene.token);
fits(protocol.HelloOkSchema, told, "hello-ok");
assert.equal(told.protocol, 4);
assert.ok(told.features.methods.includes("worktree.list"));
holds("it connects, and what it is told fits the published schema");

const agentId = scene.agent;
const written = await client.request("worktree.write", { agentId, path: "from/client.txt", content: "grey\n" });
assert.deepEqual([written.path, written.sizeBytes, written.created], ["from/client.txt", 5, true]);
const read = await client.request("worktree.read", { agentId, path: "from/client.txt" });
assert.deepEqual([read.content, read.encoding, read.version], ["grey\n", "utf8", written.version]);
const listed = await client.request("worktree.list", { agentId, recursive: true });
assert.deepEqual(listed.entries.map((entry) => entry.path).sort(), ["from", "from/client.txt"]);
holds("it writes, reads and lists");

const watch = await client.request("worktree.watch", { agentId, recursive: true });
await client.request("worktree.write", { agentId, path: "from/heron.txt", content: "x" });
const changed = await event("worktree.changed");
fits(protocol.EventFrameSchema, changed, "an event");
assert.deepEqual(changed.payload, {
  agentId, path: "from/heron.txt", changeType: "created", watchId: watch.watchId, seq: 1,
});
holds("it hears of changes");

const missing = await refused(client.request("worktree.read", { agentId, path: "nowhere" }), "FILE_NOT_FOUND");
assert.ok(missing.message.includes("nowhere"));
await refused(client.request("worktree.nope", { agentId }), "UNKNOWN_METHOD");
await refused(client.request("worktree.list", { agentId: "somebody-else" }), "PERMISSION_DENIED");
await refused(client.request("worktree.list", { agentId, path: "../.." }), "PATH_OUTSIDE_WORKSPACE");
holds("errors have their codes");

const many = await Promise.all(
  Array.from({ length: 4 }, () => client.request("worktree.stat", { agentId, path: "from" })),
);
assert.ok(many.every((entry) => entry.kind === "dir"));
holds("replies find their requests");

const opened = await client.request("terminal.open", { agentId, cols: 80, rows: 24, command: "echo a$((40+2))b; exit 3" })
  .catch((error) => (error.gatewayCode === "PROVIDER_UNAVAILABLE" ? null : Promise.reject(error)));
if (opened) {
  fits(protocol.TerminalOpenResultSchema, opened, "terminal.open");
  let text = "";
  while (!text.includes("a42b")) {
    const data = await event("terminal.data");
    fits(protocol.TerminalDataEventSchema, data.payload, "terminal.data");
    text += data.payload.data;
  }
  const exit = await event("terminal.exit");
  fits(protocol.TerminalExitEventSchema, exit.payload, "terminal.exit");
  assert.equal(exit.payload.exitCode, 3);
}
holds("a terminal speaks as the client knows it");
client.stop();

await assert.rejects(connected("garth_nonsense"));
holds("a wrong token is refused");
process.exit(0);
