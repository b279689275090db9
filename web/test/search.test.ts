// Search in files, quick open and the palette of commands.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browser as start, isSound, signedIn, until } from "./browser.ts";
import { Gateway } from "./gateway.ts";

let browser: Browser;
let gateway: Gateway;
before(async () => {
  const files: Record<string, string> = {
    "README.md": "# Birds\nThe heron waits.\nA HERON flies.\n",
    "src/heron.ts": "const a = 1;\nconst b = 2;\nexport const heron = a + b;\n",
    "src/deep/gull.ts": "export const gull = 'no heron';\n",
    ".hidden/heron.txt": "heron\n",
    ".gitignore": "made/\n",
    "made/heron.txt": "heron\n",
  };
  for (let at = 0; at < 150; at += 1) files[`many/file${at}.txt`] = "one line\nmany here\n".repeat(4);
  [browser, gateway] = await Promise.all([start(), Gateway.start(files)]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

test("what is typed is searched for, and a result opens at its line, all by keyboard", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.keyboard.press("Control+Shift+F");
  const field = page.getByRole("textbox", { name: "Search in files" });
  await field.waitFor();
  await page.keyboard.type("heron");
  await page.getByText("4 lines in 3 files").waitFor();
  const found = page.getByRole("tree", { name: "What was found" });
  assert.equal(await found.locator("mark").count(), 4);
  // The lines around are there, for the eye alone.
  await found.locator(".around", { hasText: "const b = 2;" }).waitFor();
  await field.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "heron.ts" }).waitFor();
  await page.locator(".statusbar").getByText(/\b3\b/).waitFor();
  await found.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await found.getByRole("treeitem", { level: 1, expanded: false }).count(), 1);
  await isSound(opened);
  await opened.close();
});

test("case, expressions, globs, and what is hidden or ignored", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.keyboard.press("Control+Shift+F");
  const field = page.getByRole("textbox", { name: "Search in files" });
  await field.fill("HERON");
  await page.getByText("4 lines in 3 files").waitFor();
  await field.press("Alt+c");
  await page.getByText("1 line in 1 file").waitFor();
  await field.press("Alt+c");
  await field.press("Alt+r");
  await field.fill("her.n (waits|flies)");
  await page.getByText("2 lines in 1 file").waitFor();
  await field.fill("her(");
  await page.locator(".search-told .notice.wrong").filter({ hasText: "." }).waitFor();
  await field.press("Alt+r");
  await field.fill("heron");
  await page.getByRole("textbox", { name: "Only files that match" }).fill("*.ts");
  await page.getByText("2 lines in 2 files").waitFor();
  await page.getByRole("textbox", { name: "Only files that match" }).fill("");
  await page.getByLabel("Hidden").check();
  await page.getByText("5 lines in 4 files").waitFor();
  await page.getByLabel("Ignored").check();
  await page.getByText("6 lines in 5 files").waitFor();
  await field.fill("nowhere at all");
  await page.getByText(/Nothing found in/).waitFor();
  await isSound(opened);
  await opened.close();
});

test("many results come page by page, and the page stays small", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await page.keyboard.press("Control+Shift+F");
  await page.getByRole("textbox", { name: "Search in files" }).fill("many here");
  await page.getByText("600 lines in 150 files").waitFor();
  assert.ok((await page.getByRole("treeitem").count()) < 120, "only what is in sight is in the page");
  await close();
});

test("a file is found by a part of its name, also one that was just made", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+p");
  const field = page.getByRole("combobox");
  await field.fill("dgull");
  await page.getByRole("option", { name: /gull\.ts/ }).waitFor();
  await isSound(opened);
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "gull.ts" }).waitFor();
  gateway.write("src/lately.ts", "x\n");
  await until(async () => {
    await page.keyboard.press("Control+p");
    await field.fill("lately:1");
    const there = (await page.getByRole("option", { name: /lately\.ts/ }).count()) > 0;
    if (!there) await page.keyboard.press("Escape");
    return there;
  });
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "lately.ts" }).waitFor();
  // What is ignored stays out of the way.
  await page.keyboard.press("Control+p");
  await field.fill("made/heron.txt");
  await page.getByText("No file is called so.").waitFor();
  await opened.close();
});

test("every command is in the palette", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+Shift+P");
  const field = page.getByRole("combobox");
  await field.fill(">show activity");
  await page.getByRole("option", { name: /Show activity/ }).waitFor();
  await isSound(opened);
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Activity" }).waitFor();
  await opened.close();
});
