// What an operator sets up: workspaces are made, changed, stopped and deleted; tokens are given out and taken back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browser as start, isSound, signedIn, until } from "./browser.ts";
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

interface Told {
  state: string;
  settings: { readOnly: boolean; provider: string; approvals: { rules?: { operation: string; then: string }[] }; limits: { processes?: number }; deny?: string[] };
}
const told = async (id: string) => (await gateway.rpc("agents.get", { agentId: id })) as Told;

test("a workspace is made, changed, stopped, started and deleted", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).click();
  await page.getByRole("menuitem", { name: "New workspace…" }).click();
  await page.getByLabel("Name", { exact: false }).first().fill("Not A Name!");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").filter({ hasText: "." }).first().waitFor();
  await page.getByLabel("Name", { exact: false }).first().fill("coder");
  await page.getByText("Approvals", { exact: true }).click();
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("Operation", { exact: true }).fill("bash");
  await isSound(opened);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: "Workspace: coder" }).waitFor();
  assert.deepEqual((await told("coder")).settings.approvals.rules, [{ operation: "bash", then: "ask" }]);

  await page.getByRole("button", { name: "Workspace: coder" }).click();
  await page.getByRole("menuitem", { name: "Configure this workspace…" }).click();
  await page.getByLabel("Read only").check();
  await page.getByText("Limits", { exact: true }).click();
  await page.getByLabel("Processes").fill("3");
  await page.getByText("Files", { exact: true }).last().click();
  await page.getByLabel("Hidden from everyone").fill("*.pem\nsecret/**");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("coder is set up").waitFor();
  const { settings } = await told("coder");
  assert.deepEqual([settings.readOnly, settings.limits.processes, settings.deny], [true, 3, ["*.pem", "secret/**"]]);
  // What a field says nothing of is as it was.
  assert.equal(settings.approvals.rules?.length, 1);

  await isSound(opened);
  await page.getByRole("button", { name: "More for coder" }).click();
  await page.getByRole("menuitem", { name: "Stop…" }).click();
  await page.getByRole("button", { name: "Stop it" }).click();
  await page.getByText("coder was stopped").waitFor();
  assert.equal((await told("coder")).state, "stopped");
  await page.getByRole("button", { name: "More for coder" }).click();
  await page.getByRole("menuitem", { name: "Start" }).click();
  await page.getByText("coder was started").waitFor();
  assert.equal((await told("coder")).state, "active");

  await page.getByRole("button", { name: "More for coder" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const sure = page.getByRole("button", { name: "Delete it" });
  assert.equal(await sure.isDisabled(), true, "its name must be typed first");
  await page.getByLabel("Name of the workspace").fill("coder");
  await sure.click();
  await page.getByText("coder was deleted").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await opened.close();
});

test("a token is shown once, works, and ends when it is taken back", async () => {
  const opened = await signedIn(browser, gateway, { at: "#/default" });
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("combobox").fill(">manage tokens");
  await page.keyboard.press("Enter");
  await page.getByLabel("Label").fill("the night watch");
  await page.getByRole("button", { name: "New token" }).click();
  const secret = (await page.locator(".secret").textContent()) ?? "";
  assert.match(secret, /^garth_/);
  await isSound(opened);
  const listing = async () => (await gateway.rpc("worktree.list", { agentId: "default" }, secret)) as { error?: { code: string } };
  assert.equal((await listing()).error, undefined);
  await page.getByRole("button", { name: "Done" }).click();
  assert.equal(await page.getByText(secret).count(), 0);
  await page.getByRole("button", { name: "Take back the night watch" }).click();
  await page.getByRole("button", { name: "Take it back" }).click();
  await page.getByText("the night watch was taken back").waitFor();
  await until(async () => (await listing()).error?.code === "UNAUTHENTICATED");
  await opened.close();
});

test("an agent's token administers nothing", async () => {
  const { page, close } = await signedIn(browser, gateway, { token: gateway.token("agent", "default") });
  await page.getByRole("treeitem", { name: "README.md" }).waitFor();
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("combobox").fill(">workspace");
  await page.getByText("No command is called so.").waitFor();
  await close();
});
