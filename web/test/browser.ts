// A real browser for a test: pages that are signed in, and everything that went wrong in them.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import type { Gateway } from "./gateway.ts";

/** How long anything on a page may take, in milliseconds: machines are slow sometimes. */
export const PATIENCE = Number(process.env["PATIENCE_MS"] ?? 60_000);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Debian's Chromium. Its own sandbox needs a user that is not root; only our own pages are opened. */
export async function browser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  // A page that a test hands out comes from no address, and may then not ask this machine for anything.
  if (process.env["FROM_DIST"]) args.push("--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets");
  return await chromium.launch({ executablePath: "/usr/bin/chromium", args });
}

/** A page, with what went wrong in it. */
export interface Opened {
  page: Page;
  /** Errors of the page and of its policy; an answer that is a refusal is none. */
  wrongs: string[];
  close: () => Promise<void>;
}

/** A page that nobody has signed in to. */
export async function blank(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  if (process.env["FROM_DIST"]) await fromDist(context);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const wrongs: string[] = [];
  page.on("pageerror", (error) => wrongs.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !/Failed to load resource|WebSocket connection/.test(text)) wrongs.push(text);
  });
  return { page, wrongs, close: () => context.close() };
}

const dist = join(import.meta.dirname, "../dist");
const KINDS: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Takes the page from web/dist instead of from the program, which then need not be built again while one works on it. */
async function fromDist(context: BrowserContext): Promise<void> {
  await context.route(/^http:\/\/[^/]+\/(assets\/.*|icon\.svg)?(#.*)?$/, async (route) => {
    const { pathname } = new URL(route.request().url());
    const path = join(dist, pathname === "/" ? "index.html" : pathname);
    const kind = KINDS[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    await route.fulfill({ body: readFileSync(path), headers: { "content-type": kind, "content-security-policy": POLICY } });
  });
}

/** A page that an operator's token opened; the workspace `default` is shown. */
export async function signedIn(browser: Browser, gateway: Gateway, options: BrowserContextOptions & { token?: string; at?: string } = {}): Promise<Opened> {
  const { token = gateway.operator, at = "", ...rest } = options;
  const opened = await blank(browser, rest);
  await opened.page.goto(`${gateway.address}/${at}`);
  await opened.page.getByLabel("Token").fill(token);
  await opened.page.getByRole("button", { name: "Sign in" }).click();
  await opened.page.locator(".topbar").waitFor();
  return opened;
}

/** What axe-core finds that is serious, in one line each. */
export async function barriers(page: Page): Promise<string[]> {
  // A policy that forbids inline code does not forbid what a debugger evaluates.
  await page.evaluate(axe);
  return await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<{ violations: { id: string; impact: string; nodes: { target: unknown; failureSummary?: string }[] }[] }> } };
    const { violations } = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    const serious = violations.filter((found) => found.impact === "serious" || found.impact === "critical");
    return serious.map((found) => `${found.id}: ${found.nodes.map((node) => `${JSON.stringify(node.target)} ${node.failureSummary ?? ""}`).join("; ")}`);
  });
}

/** Nothing went wrong, and nothing stands in anybody's way. */
export async function isSound({ page, wrongs }: Opened): Promise<void> {
  assert.deepEqual(wrongs, []);
  for (const colorScheme of ["light", "dark"] as const) {
    // Colours that are still on their way would be judged as they are.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await barriers(page), [], colorScheme);
  }
}

/** Waits until something holds; a deadline that long is only for machines that are busy. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `it never came to: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
