// Names, contents, output, errors and messages that would run something in a careless page: nothing runs, nothing is reported.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { tool } from "./asking.ts";
import { blank, browser as start, signedIn, until, type Opened } from "./browser.ts";
import { Gateway } from "./gateway.ts";

/** Each calls the canary where it is taken for anything but text. */
const CORPUS = [
  `<img src=x onerror=canary()>`,
  `<script>canary()</script>`,
  `"><svg onload=canary()>`,
  `'-canary()-'`,
  `javascript:canary()`,
  `<iframe srcdoc="<script>parent.canary()</script>">`,
  `<style>@import 'javascript:canary()'</style>`,
  `<math><mtext><img src onerror=canary()>`,
  `{{constructor.constructor('canary()')()}}`,
  `</textarea><img src=x onerror=canary()>`,
  `<a href="javascript:canary()">x</a>`,
  `\u202e<img src=x onerror=canary()>`,
];
/** The same as names, where there is no slash and no null. */
const NAMES = CORPUS.map((text) => text.replaceAll("/", "⁄"));

let browser: Browser;
let gateway: Gateway;
before(async () => {
  const files: Record<string, string> = { "README.md": "# Here\n" };
  NAMES.forEach((name, at) => (files[`bad/${name}.txt`] = `canary ${CORPUS[at] ?? ""}\n`));
  files["bad/page.html"] = CORPUS.join("\n");
  files["bad/drawing.svg"] = `<svg xmlns="http://www.w3.org/2000/svg" onload="canary()" width="20" height="20"><script>canary()</script><rect width="20" height="20"/></svg>`;
  files["bad/notes.md"] = CORPUS.map((text) => `# ${text}\n[x](javascript:canary())\n`).join("\n");
  [browser, gateway] = await Promise.all([start(), Gateway.start(files)]);
  const repository = (...args: string[]) => execFileSync("git", ["-c", "user.name=<img src=x onerror=canary()>", "-c", "user.email=a@b.c", ...args], { cwd: gateway.files });
  repository("init", "-q", "-b", "main");
  repository("add", "README.md");
  repository("commit", "-qm", CORPUS.join("\n\n"));
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function guarded(options: object = {}): Promise<Opened & { quiet: () => Promise<void> }> {
  const opened = await signedIn(browser, gateway, options);
  const { page } = opened;
  const fired: string[] = [];
  await page.exposeFunction("canary", () => fired.push("it ran"));
  await page.evaluate(() => {
    const told: string[] = ((window as unknown as { reported: string[] }).reported = []);
    document.addEventListener("securitypolicyviolation", (event) => told.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  const quiet = async () => {
    // One turn for whatever would have been started.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
    assert.deepEqual(fired, []);
    assert.deepEqual(await page.evaluate(() => (window as unknown as { reported: string[] }).reported), []);
    assert.deepEqual(opened.wrongs, []);
    assert.equal(await page.locator("#app iframe, #app script, #app img[src='x'], #app [onerror], #app [onload], #app a[href^='javascript']").count(), 0);
  };
  return { ...opened, quiet };
}

const settled = (page: Page) => page.getByRole("button", { name: "Workspace: default" }).waitFor();

test("names and contents of files", async () => {
  const { page, quiet, close } = await guarded();
  await page.getByRole("treeitem", { name: "bad" }).click();
  await page.getByRole("treeitem", { name: "page.html" }).waitFor();
  await quiet();
  for (const name of ["page.html", "drawing.svg", "notes.md", `${NAMES[0] ?? ""}.txt`, `${NAMES[2] ?? ""}.txt`]) {
    await page.getByRole("treeitem", { name, exact: false }).first().dblclick();
    await page.getByRole("tab", { name, exact: false }).first().waitFor();
    await quiet();
  }
  await close();
});

test("what a search finds, and names in quick open", async () => {
  const { page, quiet, close } = await guarded();
  await settled(page);
  await page.keyboard.press("Control+Shift+F");
  await page.getByRole("textbox", { name: "Search in files" }).fill("canary");
  await page.getByText(/lines in \d+ files/).waitFor();
  await quiet();
  await page.getByRole("textbox", { name: "Search in files" }).fill(CORPUS[0] ?? "");
  await page.locator(".found-line mark").first().waitFor();
  await quiet();
  await page.keyboard.press("Control+p");
  await page.getByRole("combobox").fill("img");
  await page.getByRole("option").first().waitFor();
  await quiet();
  await page.getByRole("combobox").fill(`>${CORPUS[0] ?? ""}`);
  await page.getByText("No command is called so.").waitFor();
  await quiet();
  await close();
});

test("what commands print, and what is asked and recorded of them", async () => {
  const { page, quiet, close } = await guarded();
  await settled(page);
  gateway.write("print.txt", `${CORPUS.join("\n")}\n\u001b]0;<img src=x onerror=canary()>\u0007\u001b]8;;javascript:canary()\u001b\\link\u001b]8;;\u001b\\\n`);
  const ran = await tool(gateway, "bash", { command: "cat print.txt; echo '<img src=x onerror=canary()>'", background: true });
  await page.keyboard.press("Control+Shift+A");
  await page.locator(".record").first().waitFor();
  if (ran["error"] === undefined) {
    await page.keyboard.press("Control+j");
    await page.locator(".terminal-place .xterm-rows").getByText("$").first().waitFor();
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.type("cat print.txt; echo end-$((1+1))\n");
    await page.locator(".terminal-place .xterm-rows").getByText("end-2").first().waitFor();
    await quiet();
    await page.getByRole("tab", { name: "Processes" }).click();
    await page.getByLabel("Also what has ended").check();
    await page.getByRole("button", { name: /cat print\.txt/ }).first().click();
    await page.locator(".printed pre").getByText("<script>canary()</script>").waitFor();
    await quiet();
  }
  await page.locator(".record").filter({ hasText: "onerror" }).or(page.locator(".record")).first().click();
  await quiet();
  await gateway.rpc("agents.update", { agentId: "default", settings: { approvals: { otherwise: "allow", rules: [{ operation: "bash", then: "ask" }], waitMs: 600_000 } } });
  const asked = tool(gateway, "bash", { command: CORPUS.join("\n") });
  await page.getByRole("alertdialog").getByText("<script>canary()</script>").waitFor();
  await quiet();
  await page.keyboard.press("Control+Alt+n");
  await asked;
  await quiet();
  await close();
});

test("errors that name what was sent", async () => {
  const { page, quiet, close } = await guarded();
  await settled(page);
  await page.keyboard.press("Control+Shift+F");
  await page.getByRole("textbox", { name: "Search in files" }).press("Alt+r");
  for (const text of ["(<img src=x onerror=canary()>", "[<script>canary()</script>"]) {
    await page.getByRole("textbox", { name: "Search in files" }).fill(text);
    await page.locator(".search-told .notice.wrong").waitFor();
    await quiet();
  }
  for (const text of [CORPUS[0] ?? "", CORPUS[2] ?? ""]) {
    await page.goto(`${gateway.address}/#/default/${encodeURIComponent(text)}`);
    await page.getByRole("tab", { name: text.split("/").at(-1) ?? text, exact: false }).or(page.getByRole("alert")).first().waitFor();
    await quiet();
  }
  await page.goto(`${gateway.address}/#/${encodeURIComponent(CORPUS[1] ?? "")}`);
  await page.locator(".agent-name").getByText(CORPUS[1] ?? "").waitFor();
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await quiet();
  await close();
});

test("messages and names of a repository", async (context) => {
  if ((await tool(gateway, "git", { action: "status" }))["error"] !== undefined) return context.skip("skipped: this gateway has no git, or no sandbox for it");
  const { page, quiet, close } = await guarded();
  await settled(page);
  await page.keyboard.press("Control+Shift+Y");
  await page.getByRole("button", { name: /onerror=canary/ }).first().click();
  await page.locator(".git-details").waitFor();
  await quiet();
  await close();
});

test("a token's label and a wrong token", async () => {
  gateway.garth("token", "create", "--role", "user", "--label", CORPUS[0] ?? "");
  const { page, quiet, close } = await guarded();
  await settled(page);
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("combobox").fill(">manage tokens");
  await page.keyboard.press("Enter");
  await page.getByText(CORPUS[0] ?? "").first().waitFor();
  await quiet();
  await close();
  const entrance = await blank(browser);
  await entrance.page.goto(`${gateway.address}/#ticket=${encodeURIComponent(CORPUS[0] ?? "")}`);
  await entrance.page.getByRole("alert").filter({ hasText: /\w/ }).waitFor();
  await until(() => !entrance.page.url().includes("canary"));
  assert.deepEqual(entrance.wrongs, []);
  await entrance.close();
});
