// The audit of a workspace, live; and questions that wait for an operator.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { tool } from "./asking.ts";
import { browser as start, isSound, signedIn, until } from "./browser.ts";
import { Gateway } from "./gateway.ts";

let browser: Browser;
let gateway: Gateway;
let coder: string;
before(async () => {
  [browser, gateway] = await Promise.all([start(), Gateway.start({ "README.md": "# Here\n", "src/one.ts": "1\n" })]);
  coder = gateway.token("agent", "default");
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

test("what an agent does appears as it happens, is filtered, and leads to its file", async () => {
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+Shift+A");
  const list = page.getByRole("listbox", { name: "Activity, newest first" });
  await gateway.rpc("worktree.write", { agentId: "default", path: "src/two.ts", content: "2\n" }, coder);
  await gateway.rpc("worktree.read", { agentId: "default", path: "../outside" }, coder);
  await list.getByRole("option").filter({ hasText: "src/two.ts" }).first().waitFor();
  await page.getByLabel("Outcome").selectOption("refused");
  await list.getByRole("option").filter({ hasText: "PATH_OUTSIDE_WORKSPACE" }).waitFor();
  assert.equal(await list.getByRole("option").filter({ hasText: "two.ts" }).count(), 0);
  await page.getByLabel("Outcome").selectOption("all");
  await page.getByLabel("Who").selectOption("agent");
  await page.getByLabel("Operation or path").fill("worktree.write two");
  await until(async () => (await list.getByRole("option").count()) === 1);
  await page.getByRole("img", { name: /In the last 1 h: 0 reads, 1 write, 0 commands, 0 refusals/ }).waitFor();
  await list.focus();
  await page.keyboard.press("Home");
  await page.getByRole("region", { name: /Record \d+/ }).waitFor();
  await isSound(opened);
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "two.ts" }).waitFor();
  await opened.close();
});

test("an agent's token has no audit to look at", async () => {
  const { page, close } = await signedIn(browser, gateway, { token: coder });
  await page.getByRole("treeitem", { name: "README.md" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Right side" }).count(), 0);
  await page.keyboard.press("Control+Shift+P");
  await page.getByRole("combobox").fill(">activity");
  await page.getByText("No command is called so.").waitFor();
  await close();
});

test("a question shows what would happen, and is answered by key or by button", async () => {
  const approvals = { otherwise: "allow", rules: [{ operation: "worktree.delete", then: "ask" }, { operation: "bash", then: "ask" }, { operation: "edit", then: "ask" }], waitMs: 600_000 };
  await gateway.rpc("agents.update", { agentId: "default", settings: { approvals } });
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  const first = gateway.rpc("worktree.delete", { agentId: "default", path: "README.md" }, coder) as Promise<{ error?: { code: string } }>;
  const asked = page.getByRole("alertdialog", { name: "Delete?" });
  await asked.getByText("README.md").waitFor();
  // It comes while one may be typing elsewhere, and takes nothing of that.
  assert.equal(await asked.evaluate((element) => element.contains(document.activeElement)), false);
  await isSound(opened);
  await page.keyboard.press("Control+Alt+n");
  await asked.waitFor({ state: "detached" });
  assert.equal((await first).error?.code, "APPROVAL_REFUSED");
  assert.equal(gateway.read("README.md"), "# Here\n");
  const second = gateway.rpc("worktree.delete", { agentId: "default", path: "src/one.ts" }, coder) as Promise<{ error?: { code: string } }>;
  await asked.getByText("src/one.ts").waitFor();
  await asked.getByRole("button", { name: "Allow once" }).click();
  assert.equal((await second).error, undefined);
  await page.getByRole("treeitem", { name: "one.ts" }).waitFor({ state: "detached" });
  const third = tool(gateway, "bash", { command: "rm -rf /tmp/x\necho done" }, coder);
  await page.getByRole("alertdialog", { name: "Run a command?" }).getByText("rm -rf /tmp/x").waitFor();
  await page.getByRole("button", { name: "Deny" }).click();
  assert.equal(((await third)["error"] as { code: string }).code, "APPROVAL_REFUSED");
  const fourth = tool(gateway, "edit", { path: "README.md", old_string: "# Here", new_string: "# <b>There</b>" }, coder);
  const change = page.getByLabel("What would change");
  await change.waitFor();
  assert.deepEqual((await change.locator("span").allInnerTexts()).map((line) => line.trim()), ["-# Here", "+# <b>There</b>"]);
  await isSound(opened);
  await page.getByRole("button", { name: "Deny" }).click();
  await fourth;
  await opened.close();
});
