// Two texts that began as one are brought together without losing a line of either.
import assert from "node:assert/strict";
import { test } from "node:test";
import { merge3, merged, type Region } from "../src/editor/merge3.ts";

const kinds = (regions: Region[]) => regions.map((region) => region.kind);

test("changes in different places are both taken", () => {
  const regions = merge3("1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n");
  assert.deepEqual(kinds(regions), ["mine", "same", "theirs"]);
  assert.equal(merged(regions, {}), "one\n2\n3\n4\nfive\n");
});

test("changes in one place are asked about", () => {
  const regions = merge3("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n");
  assert.deepEqual(kinds(regions), ["same", "conflict", "same"]);
  assert.equal(merged(regions, { 1: "mine+theirs" }), "a\nmine\ntheirs\nc\n");
  assert.equal(merged(regions, { 1: "theirs" }), "a\ntheirs\nc\n");
  assert.equal(merged(regions, { 1: "base" }), "a\nb\nc\n");
});

test("the same change on both sides is made once", () => {
  const regions = merge3("a\nb\n", "a\nB\n", "a\nB\n");
  assert.deepEqual(kinds(regions), ["same", "both"]);
  assert.equal(merged(regions, {}), "a\nB\n");
});

test("whatever was changed, each side can be had whole", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  const changed = (lines: string[]) =>
    lines.flatMap((line) => {
      const what = random(8);
      return what === 0 ? [] : what === 1 ? [`${line}!`] : what === 2 ? [line, `new ${random(4)}`] : [line];
    });
  const text = (lines: string[]) => lines.map((line) => `${line}\n`).join("");
  for (let round = 0; round < 2_000; round += 1) {
    const base = Array.from({ length: random(14) }, () => `line ${random(5)}`);
    const [mine, theirs] = [changed(base), changed(base)];
    const regions = merge3(text(base), text(mine), text(theirs));
    const side = (name: "base" | "mine" | "theirs") => regions.map((region) => region[name].join("")).join("");
    assert.equal(side("base"), text(base));
    assert.equal(side("mine"), text(mine));
    assert.equal(side("theirs"), text(theirs));
    if (text(mine) === text(base)) assert.equal(merged(regions, {}), text(theirs));
    if (text(theirs) === text(base)) assert.equal(merged(regions, {}), text(mine));
    for (const region of regions) if (region.kind === "same") assert.deepEqual(region.mine, region.theirs);
  }
});
