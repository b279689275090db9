// How the page is built: files with their hash in the name, nothing inline, so that the strictest policy can hold.
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig({
  plugins: [solid()],
  build: {
    target: "es2022",
    outDir: "dist",
    // build/compress.ts empties it, and leaves the file that keeps the directory.
    emptyOutDir: false,
    // An inlined asset would need data: in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
  },
  server: {
    proxy: { "/v1": { target: "http://127.0.0.1:7717", ws: true, changeOrigin: true } },
  },
});
