// Terminals and processes: typing, several at once, a reload, a lost connection, and who has none.
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { tool } from "./asking.ts";
import { blank, browser as start, isSound, signedIn, until } from "./browser.ts";
import { Gateway } from "./gateway.ts";

let browser: Browser;
let gateway: Gateway;
let runs = false;
before(async () => {
  [browser, gateway] = await Promise.all([start(), Gateway.start({ "README.md": "# Here\n" })]);
  runs = (await tool(gateway, "bash", { command: "true" }))["exit_code"] === 0;
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** Without a sandbox on this machine there are no commands to try. */
function missing(context: TestContext): boolean {
  if (!runs) context.skip("skipped: no sandbox can be made here");
  return !runs;
}

const screen = (page: Page) => page.locator(".terminal-place:not([hidden]) .xterm-rows");
async function typed(page: Page, text: string, until: string | RegExp): Promise<void> {
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(text);
  await screen(page).getByText(until).first().waitFor();
}

test("what is typed runs, and a reload finds it as it was", async (context) => {
  if (missing(context)) return;
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+j");
  await screen(page).getByText("$").first().waitFor();
  await typed(page, "export NOTE=kept; echo a$((20+22))b\n", "a42b");
  // Colours are set without inline styles, which the policy forbids.
  await typed(page, "printf '\\033[38;2;200;30;30m%s\\033[0m\\n' coloured-$((1+1))\n", "coloured-2");
  await isSound(opened);
  await page.getByRole("button", { name: "New terminal" }).click();
  await until(async () => (await page.locator(".terminal-tab").count()) === 2);
  await screen(page).getByText("$").first().waitFor();
  await typed(page, "echo second-$((3+4))\n", "second-7");
  await page.getByRole("tab", { name: "bash 1" }).click();
  await screen(page).getByText("a42b").first().waitFor();
  await page.reload();
  await page.getByLabel("Token").fill(gateway.operator);
  await page.getByRole("button", { name: "Sign in" }).click();
  await until(async () => (await page.locator(".terminal-tab").count()) === 2);
  await page.getByRole("tab", { name: "bash 1" }).click();
  await screen(page).getByText("a42b").first().waitFor();
  await typed(page, "echo still-$NOTE\n", "still-kept");
  await page.getByRole("tab", { name: "bash 1" }).focus();
  await page.keyboard.press("Delete");
  await until(async () => (await page.locator(".terminal-tab").count()) === 1);
  await isSound(opened);
  await opened.close();
});

test("a connection that comes back brings its terminal back", async (context) => {
  if (missing(context)) return;
  const { page, close } = await blank(browser);
  let cut: () => Promise<void> = async () => undefined;
  await page.routeWebSocket(/\/v1\/ws$/, (socket) => {
    const server = socket.connectToServer();
    cut = async () => {
      await server.close();
      await socket.close({ code: 1012 });
    };
  });
  await page.goto(gateway.address);
  await page.getByLabel("Token").fill(gateway.operator);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+j");
  await screen(page).getByText("$").first().waitFor();
  await typed(page, "echo before-$((5+6))\n", "before-11");
  await cut();
  await page.getByRole("status").filter({ hasText: /No connection|Connecting/ }).waitFor();
  await page.getByRole("status").filter({ hasText: "Connected" }).waitFor();
  await screen(page).getByText("before-11").first().waitFor();
  await typed(page, "echo after-$((6+7))\n", "after-13");
  await typed(page, "exit 4\n", /exit/);
  await page.getByText("It ended with code 4.").waitFor();
  await close();
});

test("what runs is listed, read and ended", async (context) => {
  if (missing(context)) return;
  const opened = await signedIn(browser, gateway);
  const { page } = opened;
  const started = await tool(gateway, "bash", { command: "echo printed-here; sleep 500", background: true });
  await page.getByRole("button", { name: "Workspace: default" }).waitFor();
  await page.keyboard.press("Control+j");
  await page.getByRole("tab", { name: "Processes" }).click();
  await page.getByRole("button", { name: /printed-here/ }).click();
  await page.locator(".printed pre").getByText("printed-here").waitFor();
  await isSound(opened);
  await page.getByRole("button", { name: `End ${String(started["id"])}` }).click();
  await page.getByText(`${String(started["id"])} was ended`).waitFor();
  await page.getByLabel("Also what has ended").check();
  await page.getByRole("row", { name: /printed-here/ }).getByText(/ended/).waitFor();
  await opened.close();
});

test("a workspace without commands says so", async () => {
  gateway.garth("agent", "create", "quiet", "--provider", "none");
  const opened = await signedIn(browser, gateway, { at: "#/quiet" });
  const { page } = opened;
  await page.getByRole("button", { name: "Workspace: quiet" }).waitFor();
  await page.keyboard.press("Control+j");
  await page.getByRole("heading", { name: "This workspace runs no commands" }).waitFor();
  await isSound(opened);
  assert.equal(await page.locator(".xterm").count(), 0);
  await opened.close();
});
