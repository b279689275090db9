// Measures the page in a real browser: what it loads, when it can be used, how it scrolls, how fast a large file opens.
//
// A line with the word "pass" or "short" is a verdict. scripts/web-bench runs it against an optimised gateway.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { browser as start } from "./browser.ts";
import { Gateway } from "./gateway.ts";

const ENTRIES = 100_000;
const FILE_BYTES = 5_000_000;
const RUNS = 5;
const SLOWER = 4;
/** How long a new window of the browser is left alone before it is measured, in milliseconds. */
const SETTLES = 2_000;

const gateway = await Gateway.start({ "README.md": "# Here\n" });
const browser = await start();
let shorts = 0;
try {
  fill();
  await firstLoad(browser);
  await interactive(browser);
  await scrolling(browser);
  await largeFile(browser);
} finally {
  await browser.close();
  await gateway.stop();
}
console.log(shorts === 0 ? "all pass" : `${shorts} short`);

function fill(): void {
  const many = join(gateway.files, "many");
  mkdirSync(many);
  for (let at = 0; at < ENTRIES; at += 1) writeFileSync(join(many, `entry-${String(at).padStart(6, "0")}.txt`), "");
  const line = "let total = values.iter().map(|value| value * 2).sum::<u64>(); // counted again\n";
  for (let at = 0; at < RUNS; at += 1) writeFileSync(join(gateway.files, `large-${at}.rs`), line.repeat(Math.ceil(FILE_BYTES / line.length)));
}

function verdict(what: string, value: number, limit: number, unit: string): void {
  const holds = value <= limit;
  if (!holds) shorts += 1;
  const shown = (number: number) => (Number.isInteger(number) ? String(number) : number.toFixed(1));
  console.log(`web: ${what.padEnd(46)} ${shown(value).padStart(8)} ${unit}, at most ${shown(limit)} ${unit}: ${holds ? "pass" : "short"}`);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** A page of its own, without a cache, whose marks are set as soon as something is there. */
async function fresh(browser: Browser, token?: string): Promise<{ page: Page; session: CDPSession; close: () => Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const session = await context.newCDPSession(page);
  // A new window first loads parts of the browser itself, hundreds of files, which nobody's page waits for.
  await page.waitForTimeout(SETTLES);
  await page.addInitScript((token: string | null) => {
    if (token !== null) sessionStorage.setItem("garth.token", token);
    const marks: Record<string, number> = ((window as unknown as { marks: Record<string, number> }).marks = {});
    const wanted: Record<string, string> = { entrance: "input[type=password]", workspace: "[role=treeitem]" };
    const look = () => {
      for (const [name, selector] of Object.entries(wanted)) {
        if (marks[name] !== undefined || !document.querySelector(selector)) continue;
        // When the next frame has come, it is drawn, and what is typed is taken.
        requestAnimationFrame(() => setTimeout(() => (marks[name] ??= performance.now())));
      }
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  }, token ?? null);
  return { page, session, close: () => context.close() };
}

async function marked(page: Page, name: string): Promise<number> {
  const found = await page.waitForFunction((name) => (window as unknown as { marks: Record<string, number> }).marks[name], name);
  return (await found.jsonValue()) as number;
}

async function firstLoad(browser: Browser): Promise<void> {
  const { page, session, close } = await fresh(browser);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(gateway.address);
  await marked(page, "entrance");
  verdict("first load, compressed, with headers", bytes / 1024, 70, "KiB");
  await close();
}

async function interactive(browser: Browser): Promise<void> {
  const times: Record<"entrance" | "workspace", number[]> = { entrance: [], workspace: [] };
  for (let run = 0; run < RUNS; run += 1) {
    for (const name of ["entrance", "workspace"] as const) {
      const { page, session, close } = await fresh(browser, name === "workspace" ? gateway.operator : undefined);
      await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
      await page.goto(gateway.address, { waitUntil: "commit" });
      times[name].push(await marked(page, name));
      await close();
    }
  }
  verdict(`sign-in can be used, ${SLOWER}x slower CPU, median`, median(times.entrance), 1_000, "ms");
  verdict(`workspace can be used, ${SLOWER}x slower CPU, median`, median(times.workspace), 1_000, "ms");
}

interface Event {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  /** What the thread itself worked of it, without what others of the machine took. */
  tdur?: number;
  pid: number;
  tid: number;
  args?: { name?: string };
}

async function scrolling(browser: Browser): Promise<void> {
  const { page, close } = await fresh(browser, gateway.operator);
  await page.goto(gateway.address);
  await page.getByRole("treeitem", { name: "many" }).click();
  const tall = () => page.locator("[role=tree]").evaluate((tree) => Math.max(tree.scrollHeight, ...[...tree.querySelectorAll("*")].slice(0, 5).map((one) => one.scrollHeight)));
  const end = Date.now() + 120_000;
  while ((await tall()) < ENTRIES * 20) {
    if (Date.now() > end) throw new Error("the tree did not open");
    await page.waitForTimeout(200);
  }
  await page.waitForTimeout(1_000);
  const box = await page.locator("[role=tree]").boundingBox();
  await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 200);
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "devtools.timeline.frame", "disabled-by-default-devtools.timeline"] });
  for (let turn = 0; turn < 240; turn += 1) {
    await page.mouse.wheel(0, turn % 60 < 50 ? 700 : 40_000);
    await page.waitForTimeout(8);
  }
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Event[] };
  await close();
  const { frames, longest } = judged(trace.traceEvents);
  console.log(`web: ${frames.length} frames while a tree of ${ENTRIES} entries was scrolled`);
  verdict("work of the main thread per frame, p95", percentile(frames, 0.95), 8, "ms");
  verdict("longest task while scrolling", longest, 50, "ms");
}

/** The work of the page's main thread, frame by frame, and its longest task, in milliseconds. */
function judged(events: Event[]): { frames: number[]; longest: number } {
  // Each frame of the page ends with its commit, which the main thread tells.
  const all = events.filter((event) => event.name === "BeginCommitCompositorFrame");
  const counts = new Map<string, number>();
  for (const { pid, tid } of all) counts.set(`${pid} ${tid}`, (counts.get(`${pid} ${tid}`) ?? 0) + 1);
  const main = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  const onMain = (event: Event) => `${event.pid} ${event.tid}` === main;
  const commits = all.filter(onMain).map((event) => event.ts).sort((a, b) => a - b);
  const frames = commits.map(() => 0);
  let longest = 0;
  for (const task of events) {
    if (!onMain(task) || task.name !== "RunTask" || task.dur === undefined) continue;
    const ms = (task.tdur ?? task.dur) / 1_000;
    longest = Math.max(longest, ms);
    const at = commits.findIndex((commit) => commit >= task.ts);
    if (at >= 0) frames[at] = (frames[at] ?? 0) + ms;
  }
  return { frames, longest };
}

async function largeFile(browser: Browser): Promise<void> {
  const { page, close } = await fresh(browser, gateway.operator);
  await page.goto(gateway.address);
  // What the editor is made of is loaded once; a file is opened many times.
  await page.getByRole("treeitem", { name: "README.md" }).click();
  await page.locator(".cm-line").first().waitFor();
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await page.getByRole("treeitem", { name: `large-${run}.rs` }).waitFor();
    const took = await page.evaluate((name) => new Promise<number>((resolve) => {
      const row = [...document.querySelectorAll<HTMLElement>("[role=treeitem]")].find((one) => one.textContent?.includes(name));
      const from = performance.now();
      row?.click();
      const look = () => {
        const shown = [...document.querySelectorAll<HTMLElement>(".view:not([hidden])")].some((view) => view.textContent?.includes("counted again") || [...view.querySelectorAll("*")].some((one) => one.shadowRoot?.textContent?.includes("counted again")));
        const tab = document.querySelector("[role=tab][aria-selected=true][title], .tab.active")?.textContent?.includes(name);
        if (shown && tab) return void setTimeout(() => resolve(performance.now() - from));
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }), `large-${run}.rs`);
    times.push(took);
  }
  verdict("a file of 5 MB is open, median", median(times), 500, "ms");
  await close();
}
