// The repository of a workspace: what changed, a commit by the bot, branches, the log.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test, type TestContext } from "node:test";
import type { Browser } from "playwright-core";
import { tool } from "./asking.ts";
import { blank, browser as start, isSound, signedIn } from "./browser.ts";
import { Gateway } from "./gateway.ts";

let browser: Browser;
let gateway: Gateway;
let has = false;
const git = (...args: string[]) => {
  const plain = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], { cwd: gateway.files, env: plain, encoding: "utf8" });
};
before(async () => {
  [browser, gateway] = await Promise.all([start(), Gateway.start({ "README.md": "# Here\n", "src/one.ts": "one\n", "gone.txt": "x\n" })]);
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "The first stone");
  const told = await tool(gateway, "git", { action: "status" });
  has = told["error"] === undefined;
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

test("a gateway without git says so", async () => {
  const opened = await blank(browser);
  const { page } = opened;
  // As one that is older would greet.
  await page.routeWebSocket(/\/v1\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => socket.send(typeof message === "string" ? message.replace('"git",', "") : message));
  });
  await page.goto(gateway.address);
  await page.getByLabel("Token").fill(gateway.operator);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+Shift+Y");
  await page.getByRole("heading", { name: "This gateway has no git" }).waitFor();
  await isSound(opened);
  await opened.close();
});

test("a file is compared with the last commit, from the editor and from the tree", async (context: TestContext) => {
  if (!has) return context.skip("skipped: this gateway has no git, or no sandbox for it");
  gateway.write("README.md", "# There\n");
  gateway.write("new.txt", "first\n");
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  const row = page.getByRole("treeitem", { name: /README\.md modified/ });
  await row.dblclick();
  await page.getByText("# There").waitFor();
  await page.keyboard.press("Alt+G");
  await page.getByRole("tab", { name: "README.md (last commit) ↔ README.md" }).waitFor();
  await page.getByText("1 of 1 change").waitFor();
  await page.locator(".cm-deletedLine", { hasText: "# Here" }).waitFor();
  await page.locator(".cm-insertedLine", { hasText: "# There" }).waitFor();
  await isSound(opened);
  await page.keyboard.press("Alt+W");
  await row.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Compare with the last commit" }).click();
  await page.locator(".cm-insertedLine", { hasText: "# There" }).waitFor();
  // One that git does not know has nothing to be compared with.
  await page.getByRole("treeitem", { name: /new\.txt/ }).dblclick();
  await page.locator(".cm-content").getByText("first").waitFor();
  await page.keyboard.press("Alt+G");
  await page.getByText("new.txt is in no commit yet").waitFor();
  await isSound(opened);
  await opened.close();
  git("checkout", "-q", "README.md");
  git("clean", "-qf", "new.txt");
});

test("what changed is chosen and committed by the bot", async (context: TestContext) => {
  if (!has) return context.skip("skipped: this gateway has no git, or no sandbox for it");
  gateway.write("src/one.ts", "two\n");
  gateway.write("left.txt", "not yet\n");
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+Shift+Y");
  await page.getByRole("button", { name: /^one\.ts/ }).click();
  await page.getByRole("tab", { name: /one\.ts/ }).waitFor();
  await page.getByLabel("Take left.txt into the commit").uncheck();
  await page.getByLabel("Message of the commit").fill("Say two");
  await isSound(opened);
  await page.getByLabel("Message of the commit").press("Control+Enter");
  await page.getByText(/^Committed/).waitFor();
  await page.getByRole("button", { name: /Say two/ }).click();
  await page.locator(".git-details").getByText("one.ts").waitFor();
  assert.match(git("log", "-1", "--format=%an %s"), /\[bot\] Say two/);
  assert.match(git("status", "--short"), /\?\? left\.txt/);
  await page.getByText(/By .*\[bot\]/).waitFor();
  await page.getByRole("button", { name: "Push" }).click();
  await page.getByText("It could not be pushed").waitFor();
  await isSound(opened);
  await opened.close();
});

test("a branch is made and left", async (context: TestContext) => {
  if (!has) return context.skip("skipped: this gateway has no git, or no sandbox for it");
  const { page, close } = await signedIn(browser, gateway);
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+Shift+Y");
  await page.getByRole("button", { name: "Branch main" }).click();
  await page.getByRole("menuitem", { name: "New branch…" }).click();
  await page.getByLabel("Name").fill("feature/nest");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("button", { name: "Branch feature/nest" }).click();
  await page.getByRole("menuitem", { name: "main" }).click();
  await page.getByRole("button", { name: "Branch main" }).waitFor();
  await close();
});
