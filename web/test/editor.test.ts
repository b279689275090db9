// Files in the middle: looking, editing, saving, and what happens when two write one file.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browser as start, isSound, PATIENCE, signedIn, until, type Opened } from "./browser.ts";
import { Gateway } from "./gateway.ts";

const KEY = `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}`;
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
let browser: Browser;
let gateway: Gateway;
before(async () => {
  const files = {
    "a.rs": "fn main() {\n    println!(\"one\");\n}\n",
    "b.rs": "fn main() {\n    println!(\"two\");\n}\n// the end\n",
    "crlf.txt": "one\r\ntwo\r\n",
    "settings.toml": `name = "x"\napi_key = "${KEY}"\n`,
    "conflict.txt": "1\n2\n3\n4\n5\n6\n7\n",
    "live.txt": "as it was\n",
    "since.txt": "first\nsecond\nthird\n",
    "bytes.dat": new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 255, 254]),
    "dot.png": PNG,
    "evil.svg": '<svg xmlns="http://www.w3.org/2000/svg" onload="window.top.canary=1"><script>window.top.canary=1</script></svg>',
    "big.txt": "a line of a large file\n".repeat(75_000),
    "huge.txt": `${"words ".repeat(16)}\n`.repeat(104_000),
  };
  [browser, gateway] = await Promise.all([start(), Gateway.start(files)]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

const content = (page: Page) => page.locator(".view:not([hidden]) .editor-host .cm-content");
async function at(path: string, options = {}): Promise<Opened> {
  const opened = await signedIn(browser, gateway, { at: `#/default/${path}`, ...options });
  await opened.page.getByRole("tab", { name: path }).waitFor();
  return opened;
}
async function typed(page: Page, text: string): Promise<void> {
  await content(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type(text);
}

test("a file is edited and saved, and its line endings stay", async () => {
  const opened = await at("crlf.txt");
  const { page } = opened;
  await typed(page, "zero ");
  await page.getByRole("tab", { name: "crlf.txt (not saved)" }).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.equal(gateway.read("crlf.txt"), "zero one\r\ntwo\r\n");
  await isSound(opened);
  await opened.close();
});

test("secrets are chips, and saving puts them back", async () => {
  const opened = await at("settings.toml");
  const { page } = opened;
  await content(page).getByRole("img", { name: "hidden secret" }).waitFor();
  await page.getByText("Some secrets are hidden").waitFor();
  assert.ok(!(await page.content()).includes(KEY));
  await typed(page, "# mine\n");
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.equal(gateway.read("settings.toml"), `# mine\nname = "x"\napi_key = "${KEY}"\n`);
  await isSound(opened);
  await opened.close();
});

test("a change by another client shows in an editor that was not touched", async () => {
  const { page, close } = await at("live.txt");
  await content(page).getByText("as it was").waitFor();
  await until(async () => {
    await gateway.rpc("worktree.write", { agentId: "default", path: "live.txt", content: `as it is ${Date.now()}\n` });
    return (await content(page).getByText("as it is").count()) > 0;
  });
  await close();
});

test("what happened to a file since it was opened is shown", async () => {
  const { page, close } = await at("since.txt");
  await content(page).getByText("second").waitFor();
  await until(async () => {
    await gateway.rpc("worktree.write", { agentId: "default", path: "since.txt", content: `first\nchanged ${Date.now()}\nthird\nfourth\n` });
    return await page.getByRole("button", { name: "Since opened" }).isVisible();
  });
  await page.keyboard.press("Alt+c");
  await page.getByText("of 2 changes").waitFor();
  await page.locator(".cm-merge-a").getByText("second").waitFor();
  await page.locator(".cm-merge-b").getByText("fourth").waitFor();
  await close();
});

test("when two write one file nothing is lost: both sides are shown and brought together", async () => {
  const opened = await at("conflict.txt");
  const { page } = opened;
  await content(page).getByText("7").waitFor();
  await content(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("mine ");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("my end\n");
  gateway.write("conflict.txt", "theirs 1\n2\n3\nfour\n5\n6\n7\n");
  await page.keyboard.press("Control+s");
  await page.getByRole("heading", { name: "Two wrote this file" }).waitFor();
  assert.ok(gateway.read("conflict.txt").startsWith("theirs"), "nothing was written over");
  await isSound(opened);
  const place = page.getByRole("region", { name: "Both changed this" });
  for (const text of ["mine 1", "theirs 1"]) await place.getByText(text).waitFor();
  await place.getByRole("button", { name: "Both" }).click();
  await page.getByRole("button", { name: "Save the merge" }).click();
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.equal(gateway.read("conflict.txt"), "mine 1\ntheirs 1\n2\n3\nfour\n5\n6\n7\nmy end\n");
  await opened.close();
});

test("two files are compared, and the keyboard goes from change to change", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  const menu = async (name: string, item: string) => {
    await page.getByRole("treeitem", { name }).click({ button: "right" });
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  await menu("a.rs", "Compare with…");
  await menu("b.rs", "Compare with a.rs");
  await page.getByText("1 of 2 changes").waitFor();
  // Its keys are there a moment after it is shown.
  const goes = (key: string, text: string) =>
    until(async () => {
      await page.keyboard.press(key);
      return await page.getByText(text).waitFor({ timeout: 3_000 }).then(() => true, () => false);
    });
  await goes("F7", "2 of 2 changes");
  await goes("Shift+F7", "1 of 2 changes");
  await isSound(opened);
  await opened.close();
});

test("pictures are shown, bytes described, and nothing in a file runs", async () => {
  const opened = await at("dot.png");
  const { page } = opened;
  await page.getByText("1 × 1").waitFor();
  await page.goto(`${gateway.address}/#/default/evil.svg`);
  await page.getByRole("img", { name: "evil.svg" }).waitFor();
  await page.goto(`${gateway.address}/#/default/bytes.dat`);
  await page.getByRole("heading", { name: "ELF program" }).waitFor();
  assert.equal(await page.evaluate(() => (window as unknown as { canary?: number }).canary), undefined);
  await isSound(opened);
  await opened.close();
});

test("a large file is edited, and of a huge one the beginning is shown", async () => {
  const opened = await at("big.txt");
  const { page } = opened;
  await page.getByText("A large file: shown without colours").waitFor();
  await typed(page, "first ");
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.ok(gateway.read("big.txt").startsWith("first a line"));
  await page.goto(`${gateway.address}/#/default/huge.txt`);
  // A program that was built for tests looks through ten million bytes for secrets.
  await page.getByText("cannot be changed here").waitFor({ timeout: 2 * PATIENCE });
  await isSound(opened);
  await opened.close();
});

test("a tab that was edited is not closed by mistake", async () => {
  const { page, close } = await at("a.rs");
  await content(page).getByText("main").waitFor();
  await typed(page, "// note\n");
  await page.keyboard.press("Alt+w");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("tab", { name: "a.rs (not saved)" }).waitFor();
  await page.keyboard.press("Alt+w");
  await page.getByRole("button", { name: "Close without saving" }).click();
  await page.getByRole("tab", { name: "a.rs" }).waitFor({ state: "detached" });
  assert.ok(!gateway.read("a.rs").includes("note"));
  await close();
});
