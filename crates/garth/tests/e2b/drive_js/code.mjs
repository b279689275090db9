// Runs code with the JavaScript client of the code interpreter: node code.mjs MODULES.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${modules}/`));
const { Sandbox, NotFoundError, TimeoutError } = require("@e2b/code-interpreter");

function assert(holds, what) {
  if (!holds) throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

async function raises(kind, call) {
  try {
    await call();
  } catch (error) {
    assert(error instanceof kind, `not ${kind.name} but ${error}`);
    return error;
  }
  throw new Error(`${kind.name} was not raised`);
}

const sandbox = await Sandbox.create({ timeoutMs: 300_000 });

const heard = [];
const first = await sandbox.runCode("x = 1\nprint('printed')\nx + 1", { onStdout: (message) => void heard.push(message) });
assert(first.text === "2" && first.logs.stdout.join("") === "printed\n" && first.executionCount === 1, first);
assert(heard.map((message) => message.line).join("") === "printed\n", heard);

const failed = await sandbox.runCode("x = 5\nraise ValueError('what')");
assert(failed.error.name === "ValueError" && failed.error.value === "what", failed);

const rich = await sandbox.runCode("from IPython.display import HTML\nHTML('<i>x</i>')");
assert(rich.results[0].html === "<i>x</i>" && rich.results[0].isMainResult, rich);

const context = await sandbox.createCodeContext({ cwd: "/tmp" });
assert((await sandbox.runCode("import os; os.getcwd()", { context })).text === "/tmp", context);
assert((await sandbox.runCode("x", { context })).error.name === "NameError", "apart");
assert((await sandbox.listCodeContexts()).length === 2, "two contexts");
await sandbox.restartCodeContext(context);
assert((await sandbox.runCode("1", { context })).executionCount === 1, "begun anew");
await sandbox.removeCodeContext(context);
await raises(NotFoundError, () => sandbox.runCode("1", { context }));

await raises(TimeoutError, () => sandbox.runCode("import time; time.sleep(7001)", { timeoutMs: 2_000 }));
assert((await sandbox.runCode("x", { envs: { A: "b" } })).text === "5", "kept");
assert((await raises(Error, () => sandbox.runCode("1", { language: "r" }))).message.includes("501"), "no R");

await sandbox.kill();
console.log("ok");
// Timers of the SDK would hold it for a minute.
process.exit(0);
