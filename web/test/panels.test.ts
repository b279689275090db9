// Every panel and dialog beside the files, at every width, light and dark.
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { tool } from "./asking.ts";
import { browser as start, signedIn } from "./browser.ts";
import { Gateway } from "./gateway.ts";
import { showcase } from "./showcase.ts";
import { everyWay } from "./shots.ts";

let browser: Browser;
let gateway: Gateway;
let coder: string;
let runs = false;
before(async () => {
  [browser, gateway] = await Promise.all([start(), Gateway.start(showcase)]);
  coder = gateway.token("agent", "default");
  gateway.garth("agent", "create", "reviewer", "--provider", "none");
  gateway.garth("agent", "create", "builder");
  runs = (await tool(gateway, "bash", { command: "cargo test --quiet || true" }, coder))["error"] === undefined;
  const ask = (method: string, params: object) => gateway.rpc(method, { agentId: "default", ...params }, coder);
  for (const path of ["README.md", "src/main.rs", "docs/guide.md", "Cargo.toml", "src/report.rs"]) await ask("worktree.read", { path });
  await ask("worktree.search", { query: "report" });
  await ask("worktree.write", { path: "docs/report.md", content: "# Report\n" });
  await ask("worktree.edit", { path: "docs/guide.md", edits: [{ oldText: "cargo run", newText: "cargo run --release" }] });
  await ask("worktree.read", { path: "../../etc/passwd" });
  await ask("worktree.move", { fromPath: "docs/report.md", toPath: "docs/words.md" });
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** On a narrow screen one thing is in front at a time. */
const front = (page: Page, view: string) => async (width: number) => {
  const views = page.getByRole("navigation", { name: "Views" });
  if (width < 720) await views.getByRole("button", { name: view }).click();
};
const settled = (page: Page) => page.getByRole("button", { name: "Workspace: default" }).waitFor();
const large = (page: Page) => page.setViewportSize({ width: 1280, height: 800 });

test("search, quick open and commands", async () => {
  const { page, close } = await signedIn(browser, gateway, { at: "#/default/src/main.rs" });
  await settled(page);
  await page.locator(".cm-line").first().waitFor();
  await page.keyboard.press("Control+Shift+F");
  await page.getByRole("textbox", { name: "Search in files" }).fill("word");
  await page.getByText(/lines in \d+ files/).waitFor();
  await everyWay(page, "search", front(page, "Search"));
  await large(page);
  await page.keyboard.press("Control+p");
  await page.getByRole("combobox").fill("re");
  await page.getByRole("option", { name: /report\.rs/ }).waitFor();
  await everyWay(page, "quick-open");
  await large(page);
  await page.getByRole("combobox").fill(">");
  await page.getByRole("option", { name: /Show activity/ }).waitFor();
  await everyWay(page, "commands");
  await close();
});

test("terminal and processes", async (context) => {
  if (!runs) return context.skip("skipped: no sandbox can be made here");
  await tool(gateway, "bash", { command: "for step in 1 2 3; do echo \"step $step of 3\"; done; sleep 600", background: true }, coder);
  const { page, close } = await signedIn(browser, gateway, { at: "#/default/src/main.rs" });
  await settled(page);
  await page.keyboard.press("Control+j");
  const screen = page.locator(".terminal-place .xterm-rows");
  await screen.getByText("$").first().waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("ls --color=always && sort input.txt | uniq -c && echo end-$((1+1))\n");
  await screen.getByText("end-2").first().waitFor();
  await everyWay(page, "terminal", front(page, "Terminal"));
  await large(page);
  await page.getByRole("tab", { name: "Processes" }).click();
  await page.getByRole("button", { name: /for step/ }).click();
  await page.locator(".printed pre").getByText("step 3 of 3").waitFor();
  await everyWay(page, "processes", async (width) => {
    await front(page, "Processes")(width);
    await page.getByRole("button", { name: /for step/ }).click();
    await page.locator(".printed pre").getByText("step 3 of 3").waitFor();
  });
  await close();
});

test("activity and a question", async () => {
  const { page, close } = await signedIn(browser, gateway, { at: "#/default/src/main.rs" });
  await settled(page);
  await page.locator(".cm-line").first().waitFor();
  await page.keyboard.press("Control+Shift+A");
  await page.getByLabel("Who").selectOption("agent");
  const edit = page.locator(".record").filter({ hasText: "worktree.edit" });
  await edit.click();
  await everyWay(page, "activity", front(page, "Activity"));
  await large(page);
  const rules = [{ operation: "bash", then: "ask" }];
  await gateway.rpc("agents.update", { agentId: "default", settings: { approvals: { otherwise: "allow", rules, waitMs: 3_600_000 } } });
  const asked = tool(gateway, "bash", { command: "cargo publish --allow-dirty" }, coder);
  await page.getByRole("alertdialog").getByText("cargo publish").waitFor();
  await everyWay(page, "approval");
  await page.getByRole("button", { name: "Deny" }).click();
  await asked;
  await close();
});

test("workspaces and tokens", async () => {
  const { page, close } = await signedIn(browser, gateway, { at: "#/default" });
  await settled(page);
  await page.getByRole("button", { name: "Workspace: default" }).click();
  await page.getByRole("menuitem", { name: "Manage workspaces…" }).click();
  await page.getByText(/last active/).first().waitFor();
  await page.getByText(/· \d.* k?B/).first().waitFor();
  await everyWay(page, "workspaces");
  await large(page);
  await page.getByRole("button", { name: "Configure default" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor();
  await everyWay(page, "workspace");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Tokens", exact: true }).click();
  await page.getByText("the first operator").waitFor();
  await everyWay(page, "tokens");
  await close();
});

test("git", async () => {
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=Ann Oak", "-c", "user.email=ann@example.org", ...args], { cwd: gateway.files });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "Count words, and write a report");
  gateway.write("src/main.rs", `${String(showcase["src/main.rs"])}\n// more\n`);
  gateway.write("docs/ideas.md", "# Ideas\n");
  const { page, close } = await signedIn(browser, gateway, { at: "#/default/src/main.rs" });
  await settled(page);
  await page.keyboard.press("Control+Shift+Y");
  await page.getByRole("heading", { name: /This gateway has no git|Commits|Git could not look/ }).waitFor();
  await everyWay(page, "git", front(page, "Git"));
  await close();
});
