// How the page is built: files with their hash in the name, nothing inline, so that the strictest policy can hold.
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";
import solid from "vite-plugin-solid";

const link = (rel: string, name: string): HtmlTagDescriptor => ({ tag: "link", attrs: { rel, href: `/${name}` }, injectTo: "head" });

/** The page names what the workspace is made of, so that it is fetched beside the way in and not after it. */
const workspaceToo: Plugin = {
  name: "workspace-too",
  transformIndexHtml: {
    order: "post",
    handler(page, { bundle = {} }): HtmlTagDescriptor[] {
      return Object.values(bundle).flatMap((part) => {
        if (part.type !== "chunk" || part.name !== "workspace") return [];
        const styles = [...(part.viteMetadata?.importedCss ?? [])].map((name) => link("stylesheet", name));
        const scripts = [part.fileName, ...part.imports].filter((name) => !page.includes(name));
        return [...scripts.map((name) => link("modulepreload", name)), ...styles];
      });
    },
  },
};

export default defineConfig({
  plugins: [solid(), workspaceToo],
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
    // What is needed together is one file: each that is fetched costs a slow machine more than its bytes. A group takes
    // what its modules import with it, the first group first.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "page", test: /\/src\/main\.tsx$/, priority: 2 },
            { name: "workspace", test: /\/src\/shell\/Shell\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { "/v1": { target: "http://127.0.0.1:7717", ws: true, changeOrigin: true } },
  },
});
