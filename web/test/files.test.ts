// The tree of files: looking, keys, changes by others, and everything that can be done to a file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { browser as start, isSound, signedIn, until } from "./browser.ts";
import { Gateway } from "./gateway.ts";

let browser: Browser;
let gateway: Gateway;
before(async () => {
  const files = { "README.md": "# Here\n", "src/main.rs": "fn main() {}\n", "src/lib.rs": "//! A library.\n", "docs/guide.md": "# Guide\n", ".env": "A=1\n", ".gitignore": "made/\n", "made/out.txt": "x\n" };
  [browser, gateway] = await Promise.all([start(), Gateway.start(files)]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

const row = (page: Page, name: string): Locator => page.getByRole("treeitem", { name, exact: false });
const choose = async (page: Page, name: string, item: string | RegExp) => {
  await row(page, name).click({ button: "right" });
  await page.getByRole("menuitem", { name: item }).click();
};

test("directories open, and the keyboard goes through the tree as through every tree", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await row(page, "README.md").waitFor();
  const tree = page.getByRole("tree", { name: "Files" });
  await tree.focus();
  const at = async () => (await page.locator('[role=treeitem][aria-selected="true"]').getAttribute("data-path")) ?? "";
  await page.keyboard.press("Home");
  assert.equal(await at(), "docs");
  await page.keyboard.press("ArrowRight");
  await row(page, "guide.md").waitFor();
  await page.keyboard.press("ArrowRight");
  assert.equal(await at(), "docs/guide.md");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await at(), "docs");
  await page.keyboard.press("ArrowLeft");
  await row(page, "guide.md").waitFor({ state: "detached" });
  await page.keyboard.type("rea");
  assert.equal(await at(), "README.md");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "README.md" }).waitFor();
  await isSound(opened);
  await opened.close();
});

test("a question has the focus where one types, and leads back to the tree", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  const tree = page.getByRole("tree");
  const inTree = () => tree.evaluate((tree) => tree === document.activeElement);
  await row(page, "README.md").waitFor();
  await tree.focus();
  await page.keyboard.type("rea");
  await page.keyboard.press("F2");
  await page.getByLabel("New name").waitFor();
  await until(() => page.getByLabel("New name").evaluate((input) => input === document.activeElement));
  // The stem is chosen, so that typing replaces it and leaves the ending.
  await page.keyboard.type("read-me");
  assert.equal(await page.getByLabel("New name").inputValue(), "read-me.md");
  await isSound(opened);
  await page.keyboard.press("Escape");
  await until(inTree);
  // A menu of the bar has nothing in it but its items, and gives the focus back as well.
  const more = page.getByRole("button", { name: "More for files" });
  await more.click();
  await page.getByRole("menuitem", { name: "Show hidden files" }).waitFor();
  await isSound(opened);
  await page.keyboard.press("Escape");
  await until(() => more.evaluate((button) => button === document.activeElement));
  await opened.close();
});

test("hidden and ignored files are shown when they are asked for", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "made").waitFor();
  assert.equal(await row(page, ".env").count(), 0);
  const more = page.getByRole("button", { name: "More for files" });
  await more.click();
  await page.getByRole("menuitem", { name: "Show hidden files" }).click();
  await row(page, ".env").waitFor();
  await more.click();
  await page.getByRole("menuitem", { name: "Show ignored files" }).click();
  await row(page, "made").waitFor({ state: "detached" });
  await row(page, ".env").waitFor();
  await close();
});

test("what another client writes appears by itself, and lights up", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "README.md").waitFor();
  await until(async () => {
    // A watch begins a moment after the page; what is written then is told.
    gateway.write(`told-${Date.now()}.txt`, "hello");
    return (await page.locator(".row.fresh").count()) > 0;
  });
  await close();
});

test("files and folders are made, renamed, moved and moved back", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await row(page, "src").click();
  await choose(page, "src", "New file…");
  await page.getByRole("textbox", { name: "Name" }).fill("new.rs");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("tab", { name: "new.rs" }).waitFor();
  assert.equal(gateway.read("src/new.rs"), "");
  // The editor takes the focus when it is there, which may be after this.
  await until(async () => {
    await page.getByRole("tree").focus();
    await page.keyboard.press("F2");
    return await page.getByLabel("New name").waitFor({ timeout: 3_000 }).then(() => true, () => false);
  });
  await page.getByLabel("New name").fill("renamed.rs");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByRole("tab", { name: "renamed.rs" }).waitFor();
  assert.ok(existsSync(join(gateway.files, "src/renamed.rs")));
  // By keyboard: cut here, put there.
  await until(async () => {
    await row(page, "renamed.rs").click();
    await page.getByRole("tree").focus();
    await page.keyboard.press("Control+x");
    await row(page, "docs").click();
    await page.getByRole("tree").focus();
    await page.keyboard.press("Control+v");
    const moved = page.getByRole("status").filter({ hasText: "Moved to docs" });
    return await moved.waitFor({ timeout: 5_000 }).then(() => true, () => false);
  });
  assert.ok(existsSync(join(gateway.files, "docs/renamed.rs")));
  const back = page.getByRole("status").filter({ hasText: "Moved to docs" }).getByRole("button", { name: "Undo" });
  // The offer stays for seconds; a machine that is too busy to take it moves the file back another way.
  if (await back.click({ timeout: 9_000 }).then(() => true, () => false)) await until(() => existsSync(join(gateway.files, "src/renamed.rs")));
  else await gateway.rpc("worktree.move", { agentId: "default", fromPath: "docs/renamed.rs", toPath: "src/renamed.rs" });
  await row(page, "src").click({ trial: true });
  await until(async () => (await page.locator('[data-path="src/renamed.rs"]').count()) === 1);
  // By drag.
  await row(page, "renamed.rs").dragTo(row(page, "docs"));
  await until(() => existsSync(join(gateway.files, "docs/renamed.rs")));
  await choose(page, "docs", "New folder…");
  await page.getByRole("textbox", { name: "Name" }).fill("deep/er");
  await page.getByRole("button", { name: "Create" }).click();
  await until(() => existsSync(join(gateway.files, "docs/deep/er")));
  await isSound(opened);
  await opened.close();
});

test("a deletion can be taken back, and happens when it is not", async () => {
  gateway.write("trash/one.txt", "1");
  gateway.write("trash/two.txt", "2");
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "trash").click();
  await until(async () => {
    // There are seconds to take it back; a machine that is too busy for that begins anew.
    gateway.write("trash/one.txt", "1");
    await row(page, "one.txt").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await row(page, "one.txt").waitFor({ state: "detached" });
    return await page.getByRole("button", { name: "Undo" }).click({ timeout: 6_000 }).then(() => true, () => false);
  });
  await row(page, "one.txt").waitFor();
  assert.ok(existsSync(join(gateway.files, "trash/one.txt")));
  await row(page, "two.txt").click();
  await page.getByRole("tree").focus();
  await page.keyboard.press("Delete");
  await until(() => !existsSync(join(gateway.files, "trash/two.txt")));
  assert.equal(await row(page, "two.txt").count(), 0);
  await close();
});

test("files are uploaded by choice and by drop, and replaced only when that is wished", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "README.md").waitFor();
  const chooser = page.getByLabel("Files to upload");
  await chooser.setInputFiles([{ name: "up.txt", mimeType: "text/plain", buffer: Buffer.from("first") }]);
  await row(page, "up.txt").waitFor();
  assert.equal(gateway.read("up.txt"), "first");
  await chooser.setInputFiles([{ name: "up.txt", mimeType: "text/plain", buffer: Buffer.from("second") }]);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(gateway.read("up.txt"), "first");
  await chooser.setInputFiles([{ name: "up.txt", mimeType: "text/plain", buffer: Buffer.from("second") }]);
  await page.getByRole("button", { name: "Replace" }).click();
  await until(() => gateway.read("up.txt") === "second");
  const data = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["dropped"], "drop.txt"));
    return data;
  });
  await row(page, "src").dispatchEvent("drop", { dataTransfer: data });
  await until(() => existsSync(join(gateway.files, "src/drop.txt")));
  await close();
});

test("an upload that is cancelled leaves nothing", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "README.md").waitFor();
  const debug = await page.context().newCDPSession(page);
  await debug.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 20_000 });
  await page.getByLabel("Files to upload").setInputFiles([{ name: "slow.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(4_000_000) }]);
  await page.getByRole("progressbar", { name: "Uploading slow.bin" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("progressbar").waitFor({ state: "detached" });
  assert.ok(!existsSync(join(gateway.files, "slow.bin")));
  await close();
});

test("what changed since the last commit has a badge", async (context) => {
  const document = await (await fetch(`${gateway.address}/v1/openapi.json`)).text();
  if (!document.includes('/workspaces/{id}/git"')) return context.skip("this gateway has no git");
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: gateway.files });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  gateway.write("README.md", "# Changed\n");
  gateway.write("not-in-git.txt", "x\n");
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "README.md modified").waitFor();
  await row(page, "not-in-git.txt not in git").waitFor();
  await close();
});

test("a file and a folder are downloaded", async () => {
  gateway.write("take/a.txt", "some text");
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "take").waitFor();
  const folder = page.waitForEvent("download");
  await choose(page, "take", "Download as zip");
  const zip = await folder;
  assert.equal(zip.suggestedFilename(), "take.zip");
  assert.equal(readFileSync(await zip.path()).subarray(0, 2).toString(), "PK");
  await row(page, "take").click();
  const single = page.waitForEvent("download");
  await choose(page, "a.txt", "Download");
  const file = await single;
  assert.equal(readFileSync(await file.path(), "utf8"), "some text");
  await close();
});
