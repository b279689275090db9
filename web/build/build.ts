// Builds the page into dist, compresses it, and says what the first load costs.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "vite";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
/** What may be loaded before anything is shown: script and style together, compressed, in bytes. */
const FIRST_LOAD = 70 * 1024;

for (const name of await readdir(dist)) {
  if (name !== ".gitignore") await rm(join(dist, name), { recursive: true });
}
await build({ root, logLevel: "warn" });

let raw = 0;
let packed = 0;
const sizes = new Map<string, number>();
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name === ".gitignore") continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const small = brotliCompressSync(bytes, { params });
  await writeFile(`${path}.br`, small);
  sizes.set(path.slice(dist.length), small.length);
  raw += bytes.length;
  packed += small.length;
}

// What the page itself names is what a browser fetches before anything is shown.
const page = await readFile(join(dist, "index.html"), "utf8");
const first = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((found) => found[1] ?? "");
const cost = first.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;
console.log(`web: ${sizes.size} files, ${kib(raw)}, compressed ${kib(packed)}; first load ${kib(cost)} of ${kib(FIRST_LOAD)}`);
if (cost > FIRST_LOAD) {
  console.error("the first load is too large: load what is not needed at once with import()");
  process.exit(1);
}
