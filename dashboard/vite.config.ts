import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Few files are loaded at a start: what every screen needs, and the screen. What shows an
// answer and what shows a document are needed by several screens, and not at first.
const start = /\/node_modules\/(svelte|openapi-fetch|esm-env|clsx)\/|\/src\/(main\.ts|App\.svelte|screens\.ts|screens\/SignIn\.svelte|api\/|lib\/(assistants|checking|cited|codepoints|conversation|documents|drafts|events|focus|format|judging|later|memory|paged|place|resource|router|settings|strings\.en|strings\.ts|theme|troubles|unique|uploads|words)|parts\/(Attention|Confirm|Connection|Dialog|Drawer|Empty|Facts|Lazy|Nav|PageHead|Problem|Rows|Skeleton|Tip|Toasts|palette\.svelte|tip\.svelte|toasts\.svelte))/;
const answer = /\/node_modules\/marked\/|\/src\/(lib\/(answer|markdown_copy|markers)|parts\/(Answer|Badge|Blocks|Honesty|Inline|SourceCard|Thumb))/;
const viewer = /\/src\/(lib\/mentions|parts\/(FindBar|Page(List|Picture|Text)|Viewer|viewer|find))/;

function chunkOf(id: string): string | undefined {
  if (id.endsWith("/src/lib/isolate.ts")) return "isolate"; // the other languages need it while the start waits for them
  if (start.test(id)) return "app";
  if (answer.test(id)) return "answer";
  return viewer.test(id) ? "viewer" : undefined;
}

// The names of the built files have no hashes, so that a rebuild changes no names in
// the repository. The server sends entity tags instead.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "dist",
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // data: URLs are not allowed by the page's policy
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
        manualChunks: chunkOf,
      },
    },
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8080", "/v1.0": "http://127.0.0.1:8080", "/assistants": "http://127.0.0.1:8080" } },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
