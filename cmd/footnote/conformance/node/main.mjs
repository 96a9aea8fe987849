// Drives Footnote with the OpenAI SDK for Node.js: runs every scenario of the
// suite that its argument names, all at once, and prints what the SDK shows as
// one line of JSON. The Go tests beside this folder start it and judge.
//
// Environment: BASE_URL, API_KEY, and what the suites read.

import OpenAI from "openai";

import { failure } from "./shown.mjs";

const [suite] = process.argv.slice(2);
const { BASE_URL, API_KEY } = process.env;
const client = new OpenAI({ baseURL: BASE_URL, apiKey: API_KEY, timeout: 100_000 });
const { default: scenarios } = await import(`./${suite}.mjs`);

const results = {};
await Promise.all(
  Object.entries(scenarios(client)).map(async ([name, scenario]) => {
    try {
      results[name] = await scenario();
    } catch (error) {
      results[name] = { error: { ...failure(error), stack: error.stack } };
    }
  }),
);
console.log(JSON.stringify(results));
