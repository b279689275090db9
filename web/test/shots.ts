// Pictures of every screen at three widths, light and dark, and a look whether each holds what it should.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { barriers } from "./browser.ts";

const place = join(import.meta.dirname, "../../docs/screenshots");
export const WIDTHS = [360, 1280, 2560] as const;
export const SCHEMES = ["light", "dark"] as const;
const HEIGHTS = { 360: 740, 1280: 800, 2560: 1440 } as const;

/** Shows a screen at every width, light and dark; nothing may stick out, and nothing serious may be found. */
export async function everyWay(page: Page, name: string, prepare?: (width: (typeof WIDTHS)[number]) => Promise<void>): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHTS[width] });
    await prepare?.(width);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // The layout follows the new width a moment later.
      const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
      await page.waitForFunction(fits, undefined, { timeout: 20_000 }).catch(() => assert.fail(`${name} sticks out at ${width}`));
      assert.deepEqual(await barriers(page), [], `${name} at ${width}, ${colorScheme}`);
      await shoot(page, `${name}-${width}-${colorScheme}`);
    }
  }
}

async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env["SCREENSHOTS"]) return;
  mkdirSync(place, { recursive: true });
  await page.screenshot({ path: join(place, `${name}.png`), animations: "disabled", caret: "hide" });
}
