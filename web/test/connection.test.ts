// The connection breaks and comes back, the session ends, and nothing that was edited is lost.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browser as start, isSound, signedIn } from "./browser.ts";
import { Gateway } from "./gateway.ts";

let browser: Browser;
let gateway: Gateway;
before(async () => {
  [browser, gateway] = await Promise.all([start(), Gateway.start({ "note.txt": "before\n" })]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

test("a gateway that goes away is waited for, and what was typed meanwhile is saved after", async () => {
  const opened = await signedIn(browser, gateway, { at: "#/default/note.txt" });
  const { page } = opened;
  const text = page.locator(".cm-content");
  await text.getByText("before").waitFor();
  await gateway.halt();
  await page.getByRole("status").filter({ hasText: "No connection" }).waitFor();
  await isSound(opened);
  await text.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("still ");
  // Asked for while nobody can answer; it is sent when somebody can.
  await page.keyboard.press("Control+s");
  await gateway.begin();
  await page.getByRole("status").filter({ hasText: "Connected" }).waitFor();
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.equal(gateway.read("note.txt"), "still before\n");
  gateway.write("later.txt", "x");
  await page.getByRole("treeitem", { name: "later.txt" }).waitFor();
  await opened.close();
});

test("a session that ends asks for a token over the open file, and goes on", async () => {
  const token = gateway.token("operator");
  const opened = await signedIn(browser, gateway, { at: "#/default/note.txt", token });
  const { page } = opened;
  const text = page.locator(".cm-content");
  await text.waitFor();
  await text.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("kept ");
  const { payload } = JSON.parse(gateway.garth("token", "list", "--json")) as { payload: { tokens: { id: string; createdMs: number; kind: string }[] } };
  const own = payload.tokens.filter((one) => one.kind === "token").sort((a, b) => b.createdMs - a.createdMs)[0];
  gateway.garth("token", "revoke", own!.id);
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  await isSound(opened);
  await page.getByLabel("Token").fill(gateway.operator);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "note.txt (not saved)" }).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.ok(gateway.read("note.txt").startsWith("kept "));
  await opened.close();
});
