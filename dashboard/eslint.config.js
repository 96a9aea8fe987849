import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import config from "./svelte.config.js";

export default ts.config(
  { ignores: ["dist/", "src/api/schema.d.ts"] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig: config } },
  },
  {
    rules: {
      "max-lines": ["error", 300],
      "svelte/no-at-html-tags": "error", // text of others is never HTML
      "svelte/no-navigation-without-resolve": "off", // that is of SvelteKit
      "svelte/prefer-svelte-reactivity": "off", // what is not shown need not be observed
    },
  },
  { files: ["**/*.svelte"], rules: { "max-lines": ["error", 200] } },
);
