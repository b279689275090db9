// Times calls of the published JavaScript SDK, as sdk.py does: node sdk.mjs MODULES STARTS CALLS LARGE.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, ...counts] = process.argv.slice(2);
const [starts, calls, large] = counts.map(Number);
const { Sandbox } = createRequire(pathToFileURL(`${modules}/`))("e2b");

async function timed(what, call) {
  const began = process.hrtime.bigint();
  const given = await call();
  console.log(`${what}\t${(process.hrtime.bigint() - began) / 1_000n}`);
  return given;
}

async function first() {
  const sandbox = await Sandbox.create({ timeoutMs: 300_000 });
  await sandbox.commands.run("true");
  return sandbox;
}

await (await first()).kill();
for (let n = 0; n < starts; n += 1) {
  await (await timed("start", first)).kill();
}
const sandbox = await first();
for (const [name, size, times] of [
  ["1 KB", 1 << 10, calls],
  ["1 MB", 1 << 20, large],
]) {
  const content = new Uint8Array(size).map((_, at) => at % 256).buffer;
  for (let n = 0; n < times; n += 1) {
    await timed(`write ${name}`, () => sandbox.files.write("a.bin", content));
    const back = await timed(`read ${name}`, () => sandbox.files.read("a.bin", { format: "bytes" }));
    if (back.length !== size) throw new Error(`${back.length} bytes came back`);
  }
}
for (let n = 0; n < calls; n += 1) {
  await timed("run", () => sandbox.commands.run("true"));
}
await sandbox.kill();
