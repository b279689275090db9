// The order of names in the tree is the one that the browser's own comparison gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compared, sortByName } from "../src/panels/files/byname.ts";

const { compare } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

test("names of plain characters are in the order of Intl", () => {
  // A generator of its own, so that a failure comes again.
  let seed = 7;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const all = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
  const likely = [..."aAbB019-_. "];
  const name = () => Array.from({ length: next(7) }, () => (next(3) === 0 ? all[next(all.length)] : likely[next(likely.length)])).join("");
  for (let turn = 0; turn < 100_000; turn += 1) {
    const [a, b] = [name(), name()];
    assert.equal(Math.sign(compared(a, b)), compare(a, b), JSON.stringify([a, b]));
  }
});

test("numbers count as numbers, and other letters stand where they belong", () => {
  const sorted = (...names: string[]) => sortByName(names.map((name) => ({ name }))).map(({ name }) => name);
  assert.deepEqual(sorted("file10", "File2", "file1"), ["file1", "File2", "file10"]);
  assert.deepEqual(sorted("zebra", "ärmel", "apple"), ["apple", "ärmel", "zebra"]);
});
