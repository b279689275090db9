// Names, contents and errors that were written to do harm are text like any other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browser as start, signedIn } from "./browser.ts";
import { Gateway } from "./gateway.ts";

const BAIT = "window.canary=1";
const NAMES = [
  `<img src=x onerror=${BAIT}>.txt`,
  `"><svg onload=${BAIT}>.md`,
  `'-${BAIT}-'.js`,
  `<script>${BAIT}<\u2215script>.html`,
  `{{constructor.constructor('${BAIT}')()}}.vue`,
  `javascript:${BAIT}.txt`,
  `a\u202Etxt.exe`,
  "line\nbreak.txt",
  "__proto__",
  "constructor",
];
const CONTENTS = `<script>${BAIT}</script>\n<img src=x onerror="${BAIT}">\n<svg/onload=${BAIT}>\n[a](javascript:${BAIT})\n`;

let browser: Browser;
let gateway: Gateway;
before(async () => {
  const files = Object.fromEntries(NAMES.map((name) => [name, CONTENTS]));
  [browser, gateway] = await Promise.all([start(), Gateway.start({ ...files, "page.html": CONTENTS, "pic.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>${BAIT}</script></svg>` })]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

test("nothing that stands in a name or a file ever runs", async () => {
  const { page, wrongs, close } = await signedIn(browser, gateway);
  await page.getByRole("treeitem", { name: "page.html" }).waitFor();
  const rows = page.getByRole("treeitem");
  const count = await rows.count();
  assert.equal(count, NAMES.length + 2);
  for (let at = 0; at < count; at += 1) {
    await rows.nth(at).click();
    await rows.nth(at).hover();
    await page.locator(".view:not([hidden]) :is(.cm-content, .picture img, .binary)").first().waitFor();
  }
  // An error repeats the name of what it is about.
  await page.goto(`${gateway.address}/#/default/${encodeURIComponent(`<img src=x onerror=${BAIT}>-gone`)}`);
  await page.getByRole("alert").first().waitFor();
  // A picture of a page opens as what it is, by itself too.
  const alone = await fetch(`${gateway.address}/v1/workspaces/default/files/page.html`, { headers: { authorization: `Bearer ${gateway.operator}` } });
  assert.match(alone.headers.get("content-security-policy") ?? "", /default-src 'none'|sandbox/);
  assert.equal(await page.evaluate(() => (window as unknown as { canary?: number }).canary), undefined);
  assert.deepEqual(wrongs, [], "the policy had nothing to refuse");
  await close();
});
