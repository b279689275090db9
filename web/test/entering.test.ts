// Ways in, ways out, and who sees what.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { blank, browser as start, isSound, signedIn } from "./browser.ts";
import { Gateway } from "./gateway.ts";

let browser: Browser;
let gateway: Gateway;
before(async () => {
  [browser, gateway] = await Promise.all([start(), Gateway.start({ "README.md": "# Here\n" })]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

test("the printed address signs in once, and its ticket leaves the address", async () => {
  const first = await blank(browser);
  await first.page.goto(gateway.opening);
  await first.page.getByRole("button", { name: "Workspace: default" }).waitFor();
  assert.ok(!first.page.url().includes("ticket"));
  await first.page.reload();
  await first.page.getByRole("button", { name: "Workspace: default" }).waitFor();
  const second = await blank(browser);
  await second.page.goto(gateway.opening);
  await second.page.getByRole("alert").filter({ hasText: /token/i }).waitFor();
  await isSound(first);
  await isSound(second);
  await first.close();
  await second.close();
});

test("a wrong token is refused with words, and a right one is forgotten with the page", async () => {
  const opened = await blank(browser);
  const { page } = opened;
  await page.goto(gateway.address);
  await page.getByLabel("Token").fill("garth_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").filter({ hasText: "." }).waitFor();
  await page.getByLabel("Token").fill(gateway.operator);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.reload();
  await page.getByLabel("Token").waitFor();
  await isSound(opened);
  await opened.close();
});

test("a token that is kept for the tab outlives a reload and ends with signing out", async () => {
  const { page, close } = await blank(browser);
  await page.goto(gateway.address);
  await page.getByLabel("Token").fill(gateway.operator);
  await page.getByLabel("Stay signed in").check();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.getByRole("button", { name: "Signed in as operator" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await close();
});

test("an agent's token sees its own workspace and no other", async () => {
  gateway.garth("agent", "create", "other");
  const opened = await signedIn(browser, gateway, { token: gateway.token("agent", "default") });
  const { page } = opened;
  await page.getByRole("treeitem", { name: "README.md" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Workspace:/ }).count(), 0, "there is nothing to choose");
  await page.goto(`${gateway.address}/#/other`);
  await page.getByRole("alert").filter({ hasText: /workspace|permission|agent/i }).first().waitFor();
  assert.equal(await page.getByRole("treeitem").count(), 0);
  await isSound(opened);
  await opened.close();
});

test("a user's token is told why it sees nothing", async () => {
  const opened = await blank(browser);
  await opened.page.goto(gateway.address);
  await opened.page.getByLabel("Token").fill(gateway.token("user"));
  await opened.page.getByRole("button", { name: "Sign in" }).click();
  await opened.page.getByRole("heading", { name: "No workspace is open to you" }).waitFor();
  await isSound(opened);
  await opened.close();
});
