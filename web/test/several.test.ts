// Several entries of the tree chosen at once, and what is done to them together; the menu of an entry by keyboard.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { browser as start, isSound, signedIn, until } from "./browser.ts";
import { Gateway } from "./gateway.ts";
import { joinedZip } from "../src/panels/files/zip.ts";

let browser: Browser;
let gateway: Gateway;
before(async () => {
  const files = { "README.md": "# Here\n", "a/one.txt": "1", "a/two.txt": "2", "a/three.txt": "3", "a/four.txt": "4", "b/deep/five.txt": "5", "b/ümlaut.txt": "6", "c/keep.txt": "7", "z.txt": "8" };
  [browser, gateway] = await Promise.all([start(), Gateway.start(files)]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

const row = (page: Page, path: string): Locator => page.locator(`[data-path="${path}"]`);
const chosen = (page: Page): Promise<string[]> => page.locator('[role=treeitem][aria-selected="true"]').evaluateAll((rows) => rows.map((row) => row.getAttribute("data-path") ?? ""));
const there = (path: string): boolean => existsSync(join(gateway.files, path));
/** Waits until exactly these are chosen. */
const choice = async (page: Page, ...paths: string[]): Promise<void> => {
  await until(async () => JSON.stringify((await chosen(page)).sort()) === JSON.stringify([...paths].sort()));
};
/** Opens the folders a and b. */
const opened = async (page: Page): Promise<void> => {
  for (const [folder, inside] of [["a", "a/one.txt"], ["b", "b/deep"]] as const) {
    await row(page, folder).click();
    await row(page, inside).waitFor();
  }
};

test("the mouse chooses several with Control and Shift, and their number is told", async () => {
  const shown = await signedIn(browser, gateway);
  const { page } = shown;
  await opened(page);
  assert.equal(await page.getByRole("tree").getAttribute("aria-multiselectable"), "true");
  await row(page, "a/one.txt").click();
  await row(page, "a/two.txt").click({ modifiers: ["Shift"] });
  // As they stand: four, one, three, two.
  await choice(page, "a/one.txt", "a/three.txt", "a/two.txt");
  await row(page, "z.txt").click({ modifiers: ["Control"] });
  await row(page, "a/three.txt").click({ modifiers: ["Control"] });
  await choice(page, "a/one.txt", "a/two.txt", "z.txt");
  await page.locator(".files-count", { hasText: "3 entries chosen" }).waitFor();
  await page.getByRole("status").filter({ hasText: "3 entries chosen" }).waitFor();
  await isSound(shown);
  await row(page, "z.txt").click();
  await choice(page, "z.txt");
  await shown.close();
});

test("the keyboard chooses several as in every tree", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await opened(page);
  await page.getByRole("tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await choice(page, "a/four.txt", "a/one.txt", "a/three.txt");
  await page.keyboard.press("Shift+ArrowUp");
  await choice(page, "a/four.txt", "a/one.txt");
  // Control goes on without choosing, and its space bar chooses.
  await page.keyboard.press("Control+ArrowDown");
  await page.keyboard.press("Control+ArrowDown");
  await choice(page, "a/four.txt", "a/one.txt");
  const at = await page.getByRole("tree").getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`[id="${at}"]`).getAttribute("data-path"), "a/two.txt");
  await page.keyboard.press("Control+Space");
  await choice(page, "a/four.txt", "a/one.txt", "a/two.txt");
  await page.keyboard.press("Control+a");
  await choice(page, "a/four.txt", "a/one.txt", "a/three.txt", "a/two.txt");
  await page.keyboard.press("Escape");
  await choice(page, "a/two.txt");
  await page.keyboard.press("Shift+End");
  await choice(page, "a/two.txt", "b", "b/deep", "b/ümlaut.txt", "c", "README.md", "z.txt");
  await page.keyboard.press("ArrowUp");
  await choice(page, "README.md");
  await close();
});

test("several are moved by keyboard and by drag, and moved back together", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await opened(page);
  await row(page, "a/one.txt").click();
  await row(page, "a/two.txt").click({ modifiers: ["Control"] });
  await page.getByRole("tree").focus();
  await page.keyboard.press("Control+x");
  assert.equal(await page.locator(".row.cut").count(), 2);
  await row(page, "c").click();
  await page.getByRole("tree").focus();
  await page.keyboard.press("Control+v");
  await until(() => there("c/one.txt") && there("c/two.txt") && !there("a/one.txt") && !there("a/two.txt"));
  const told = page.getByRole("status").filter({ hasText: "Moved 2 entries to c" });
  // The offer stays for seconds; a machine that is too busy to take it moves the files back another way.
  if (await told.getByRole("button", { name: "Undo" }).click({ timeout: 9_000 }).then(() => true, () => false)) await until(() => there("a/one.txt") && there("a/two.txt"));
  else for (const name of ["one.txt", "two.txt"]) await gateway.rpc("worktree.move", { agentId: "default", fromPath: `c/${name}`, toPath: `a/${name}` });
  await row(page, "a/one.txt").waitFor();
  await row(page, "a/two.txt").waitFor();
  await row(page, "a/one.txt").click();
  await row(page, "a/two.txt").click({ modifiers: ["Control"] });
  await row(page, "a/two.txt").dragTo(row(page, "b/deep"));
  await until(() => there("b/deep/one.txt") && there("b/deep/two.txt"));
  assert.ok(there("a/three.txt"));
  await close();
});

test("several are deleted together, and come back together", async () => {
  for (const name of ["one", "two", "three"]) gateway.write(`trash/${name}.txt`, name);
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "trash").click();
  await row(page, "trash/one.txt").waitFor();
  await until(async () => {
    // There are seconds to take it back; a machine that is too busy for that begins anew.
    for (const name of ["one", "two"]) gateway.write(`trash/${name}.txt`, name);
    await row(page, "trash/one.txt").click();
    await row(page, "trash/two.txt").click({ modifiers: ["Control"] });
    await page.getByRole("tree").focus();
    await page.keyboard.press("Delete");
    await row(page, "trash/one.txt").waitFor({ state: "detached" });
    await row(page, "trash/two.txt").waitFor({ state: "detached" });
    return await page.getByRole("button", { name: "Undo" }).click({ timeout: 6_000 }).then(() => true, () => false);
  });
  await row(page, "trash/one.txt").waitFor();
  await row(page, "trash/two.txt").waitFor();
  assert.ok(there("trash/one.txt") && there("trash/two.txt"));
  await row(page, "trash/one.txt").click();
  await row(page, "trash/two.txt").click({ modifiers: ["Control"] });
  await row(page, "trash/two.txt").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Delete 2 entries" }).click();
  await until(() => !there("trash/one.txt") && !there("trash/two.txt"));
  assert.ok(there("trash/three.txt"));
  // The keyboard goes on with what comes after.
  assert.deepEqual(await chosen(page), ["README.md"]);
  await close();
});

test("several are downloaded as one archive, in the folders they are in", async () => {
  gateway.write("x/p/one.txt", "first");
  gateway.write("x/p/deep/two.txt", "second ".repeat(1_000));
  gateway.write("x/p/link-not.txt", "not this");
  gateway.write("x/ünd.txt", "third");
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "x").click();
  await row(page, "x/p").click();
  await row(page, "x/p/one.txt").click();
  await row(page, "x/p/deep").click({ modifiers: ["Control"] });
  await row(page, "x/ünd.txt").click({ modifiers: ["Control"] });
  const coming = page.waitForEvent("download");
  await row(page, "x/p/deep").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Download 3 entries as zip" }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), "x.zip");
  const script = "import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({i.filename: z.read(i).decode() for i in z.infolist() if not i.is_dir()}))";
  const found = JSON.parse(execFileSync("python3", ["-c", script, await download.path()], { encoding: "utf8" })) as unknown;
  assert.deepEqual(found, { "p/deep/two.txt": "second ".repeat(1_000), "p/one.txt": "first", "ünd.txt": "third" });
  await close();
});

test("what is no whole archive is not put together with others", () => {
  assert.throws(() => joinedZip([{ under: "", bytes: new Uint8Array(10) }]), /not whole/);
  assert.throws(() => joinedZip([{ under: "", bytes: new Uint8Array(100) }]), /not whole/);
});

test("two files that are chosen are compared", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await row(page, "z.txt").click();
  await row(page, "README.md").click({ modifiers: ["Control"] });
  await row(page, "z.txt").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Compare these two" }).click();
  await page.getByRole("tab", { name: "README.md ↔ z.txt" }).waitFor();
  await close();
});

for (const key of ["Shift+F10", "ContextMenu"]) {
  test(`the menu of an entry opens with ${key}, at its row, and Escape leads back to the tree`, async () => {
    const shown = await signedIn(browser, gateway);
    const { page } = shown;
    const tree = page.getByRole("tree");
    await row(page, "README.md").waitFor();
    await tree.focus();
    await page.keyboard.type("read");
    await page.keyboard.press(key);
    const menu = page.getByRole("menu");
    await menu.waitFor();
    const [box, at] = [await menu.boundingBox(), await row(page, "README.md").boundingBox()];
    assert.ok(box && at && Math.abs(box.x - at.x) < 60 && box.y >= at.y && box.y < at.y + 2 * at.height, JSON.stringify([box, at]));
    await isSound(shown);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await until(() => tree.evaluate((tree) => tree === document.activeElement));
    await page.keyboard.press(key);
    await until(() => page.evaluate(() => document.activeElement?.closest("[role=menu]") !== null));
    // The keys of a menu: letters lead to an item, Enter does it.
    await page.keyboard.type("rename");
    await page.keyboard.press("Enter");
    await page.getByLabel("New name").waitFor();
    await until(() => page.getByLabel("New name").evaluate((input) => input === document.activeElement));
    await page.keyboard.press("Escape");
    await until(() => tree.evaluate((tree) => tree === document.activeElement));
    await shown.close();
  });
}
