// Every screen of files and the editor, at every width, light and dark.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { blank, browser as start, signedIn } from "./browser.ts";
import { Gateway } from "./gateway.ts";
import { showcase } from "./showcase.ts";
import { everyWay } from "./shots.ts";

let browser: Browser;
let gateway: Gateway;
before(async () => {
  [browser, gateway] = await Promise.all([start(), Gateway.start(showcase)]);
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** On a narrow screen one thing is in front at a time. */
const front = (page: Page, view: "Files" | "Editor") => async (width: number) => {
  if (width < 720) await page.getByRole("navigation", { name: "Views" }).getByRole("button", { name: view }).click();
};

test("the way in", async () => {
  const { page, close } = await blank(browser);
  await page.goto(gateway.address);
  await page.getByLabel("Token").waitFor();
  await everyWay(page, "sign-in");
  await page.getByLabel("Token").fill(gateway.token("user"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "No workspace is open to you" }).waitFor();
  await everyWay(page, "not-yours");
  await close();
});

test("files and a file", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await page.getByRole("treeitem", { name: "README.md" }).waitFor();
  await everyWay(page, "files", front(page, "Files"));
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const name of ["src", "docs"]) await page.getByRole("treeitem", { name }).first().click();
  await page.getByRole("treeitem", { name: "guide.md" }).dblclick();
  await page.getByRole("treeitem", { name: "main.rs" }).dblclick();
  await page.locator(".view:not([hidden]) .cm-line").first().waitFor();
  await everyWay(page, "editor", front(page, "Editor"));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("treeitem", { name: "settings.toml" }).click();
  await page.locator(".view:not([hidden]) .cm-secret").first().waitFor();
  await everyWay(page, "secrets", front(page, "Editor"));
  await close();
});

test("several that are chosen, and their menu", async () => {
  const { page, close } = await signedIn(browser, gateway);
  for (const name of ["src", "docs"]) await page.getByRole("treeitem", { name }).first().click();
  await page.getByRole("treeitem", { name: "report.rs" }).waitFor();
  await page.getByRole("treeitem", { name: "guide.md" }).click({ modifiers: ["Control"] });
  await page.getByRole("treeitem", { name: "main.rs" }).click({ modifiers: ["Control"] });
  await page.getByRole("treeitem", { name: "report.rs" }).click({ modifiers: ["Shift"] });
  await page.getByRole("treeitem", { name: "plan.md" }).click({ modifiers: ["Control"] });
  await everyWay(page, "several", async (width) => {
    await front(page, "Files")(width);
    // A menu is where it was opened, and closes when the width changes under it.
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await page.getByRole("treeitem", { name: "main.rs" }).click({ button: "right" });
    await page.getByRole("menuitem", { name: /^Delete/ }).waitFor();
    const box = await page.getByRole("menu").boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= width, `the menu sticks out at ${width}: ${JSON.stringify(box)}`);
  });
  await close();
});

test("a comparison", async () => {
  const { page, close } = await signedIn(browser, gateway);
  await page.getByRole("treeitem", { name: "src" }).click();
  await page.getByRole("treeitem", { name: "report.rs" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Compare with…" }).click();
  await page.getByRole("treeitem", { name: "report_v2.rs" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: /Compare with src/ }).click();
  await page.getByText(/of \d+ changes?/).waitFor();
  await page.locator(".toast").waitFor({ state: "detached" });
  await everyWay(page, "diff", front(page, "Editor"));
  await close();
});

test("two that wrote one file", async () => {
  const { page, close } = await signedIn(browser, gateway, { at: "#/default/docs/plan.md" });
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("- [ ] ask for a file name");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.type(" or a file");
  gateway.write("docs/plan.md", "# Plan\n\n- [x] count words\n- [x] write a report\n- [ ] read from a pipe\n");
  await page.keyboard.press("Control+s");
  await page.getByRole("heading", { name: "Two wrote this file" }).waitFor();
  await everyWay(page, "conflict", front(page, "Editor"));
  await close();
});

test("a picture, bytes, and a menu", async () => {
  const { page, close } = await signedIn(browser, gateway, { at: "#/default/assets/chart.png" });
  await page.getByText("320 × 200").waitFor();
  await everyWay(page, "picture", front(page, "Editor"));
  await page.goto(`${gateway.address}/#/default/assets/words.bin`);
  await page.getByRole("heading", { name: "Binary data" }).waitFor();
  await everyWay(page, "binary", front(page, "Editor"));
  await close();
});
