import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

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
      },
    },
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8080", "/v1.0": "http://127.0.0.1:8080", "/assistants": "http://127.0.0.1:8080" } },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
