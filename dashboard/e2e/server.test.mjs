// Keys, model servers, audit log and status: each screen in its states, the people who
// need them, and what others say in them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { after, before, test } from "node:test";
import { ask, base, browser, look, visit } from "./browser.mjs";

const hostile = '<img src=x onerror=alert(1)>"\'{{7*7}}</script><script>alert(1)</script>';
const models = ["qwen3:8b", "llama3.2:latest", hostile, ...Array.from({ length: 9 }, (_, i) => `model-${i}`)];
let works = true; // whether the scripted model server does
const scripted = http.createServer((request, response) => {
  response.setHeader("Content-Type", "application/json");
  response.statusCode = works && request.url.endsWith("/models") ? 200 : 503;
  response.end(response.statusCode === 200 ? JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model", created: 1, owned_by: "x" })) }) : `{"error":{"message":${JSON.stringify(hostile)}}}`);
});
const made = { keys: [], upstreams: [], assistants: [] };
let server, key, asleep;

before(async () => {
  await new Promise((resolve) => { scripted.listen(0, "127.0.0.1", resolve); });
  const url = `http://127.0.0.1:${scripted.address().port}/v1`;
  server = await upstream({ name: "Workstation", base_url: url, api_key: "sk-secret", default_model: "qwen3:8b", headers: { "X-Team": "search" } });
  asleep = await upstream({ name: `Night shift ${hostile}`, base_url: "http://127.0.0.1:9/v1" });
  const limits = { requests_per_minute: 60, tokens_per_month: 1_000_000 };
  key = await newKey({ name: "Web site", scopes: ["chat"], assistants: ["handbook"], limits });
  await newKey({ name: hostile, scopes: ["search"], expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString() });
  const chat = (content, secret = key.key) => ask("POST", "/v1/chat/completions", { model: "handbook", messages: [{ role: "user", content }], user: hostile }, secret);
  await chat("How many vacation days do I get?");
  await chat(`${hostile} What is a sabbatical?`);
});
after(async () => {
  for (const [kind, ids] of Object.entries(made)) for (const id of ids) await ask("DELETE", `/v1.0/${kind}/${id}`);
  scripted.close();
  scripted.closeAllConnections();
  await browser.close();
});

async function upstream(body) {
  const u = await ask("POST", "/v1.0/upstreams", body);
  made.upstreams.push(u.id);
  return u;
}
async function newKey(body) {
  const k = await ask("POST", "/v1.0/keys", body);
  made.keys.push(k.id);
  return k;
}
const json = (route, body, status = 200) => route.fulfill({ status, contentType: "application/json", body: JSON.stringify(body) });
const minutes = () => Array.from({ length: 60 }, (_, i) => {
  const n = i < 8 ? 0 : Math.round(14 + 10 * Math.sin(i / 6) + (i % 7));
  const [failed, refused, left] = i > 44 && i < 52 ? [Math.round(n / 2), 1, 2] : [0, i % 9 === 0 ? 1 : 0, i % 13 === 0 ? 1 : 0];
  const figures = { requests: n, refused: Math.min(n, refused), failed, interrupted: Math.min(n, left), tokens: { requests: 0, prompt: 0, completion: 0 } };
  const answered = n - figures.refused - failed;
  return {
    start: new Date(Math.floor(Date.now() / 60_000) * 60_000 - (59 - i) * 60_000).toISOString(), ...figures,
    first_byte_ms: n ? { requests: n, mean: 320 + 90 * Math.cos(i / 5), max: 900 + (failed ? 2400 : 40 * (i % 11)) } : { requests: 0, mean: null, max: null },
    citations: { cited: Math.floor(answered * 0.8), none: Math.ceil(answered * 0.1), no_sources: answered - Math.floor(answered * 0.8) - Math.ceil(answered * 0.1), unavailable: failed ? 1 : 0 },
  };
});
const busy = (page) => page.route("**/v1.0/usage/minutes", (route) => { const data = minutes(); return json(route, { data, total: { ...data[20], requests: data.reduce((sum, m) => sum + m.requests, 0) } }); });
const status = async (page, change) => {
  const real = await ask("GET", "/v1.0/status");
  await page.route("**/v1.0/status", (route) => json(route, change(real)));
};

const opens = (page, name) => page.getByRole("button", { name, exact: true });
const tested = (page) => page.getByText(/^Answers in/).waitFor();
const screens = {
  keys: ["/keys", (p) => opens(p, "Web site").waitFor()],
  "keys-none": ["/keys?state=expired", (p) => p.getByText("There is no such key").waitFor()],
  "keys-make": ["/keys", async (p) => {
    await p.getByRole("button", { name: "New key" }).click();
    await p.getByText("Only these").click();
    await p.getByText("Limits", { exact: true }).last().click();
  }],
  "keys-detail": ["/keys", async (p) => { await opens(p, "Web site").click(); await p.getByText("of 60").waitFor(); }],
  "keys-revoke": [() => `/keys?key=${key.id}`, async (p) => { await p.getByRole("button", { name: "Revoke", exact: true }).click(); await p.getByText("stops working at once").waitFor(); }],
  upstreams: ["/upstreams", async (p) => { await tested(p); await p.getByText("Fails", { exact: true }).waitFor(); }],
  "upstreams-change": ["/upstreams", async (p) => { await tested(p); await p.getByRole("button", { name: "Change: Workstation" }).click(); await p.getByText("Headers and time limits").click(); }],
  audit: ["/audit", (p) => p.getByRole("button", { name: "chat", exact: true }).first().waitFor()],
  "audit-none": ["/audit?result=unknown&action=check", (p) => p.getByText("Nothing fits").waitFor()],
  "audit-event": ["/audit?action=chat", async (p) => { await opens(p, "chat").first().click(); await p.getByText("Passages found").waitFor(); }],
  status: ["/status", (p) => p.getByRole("img", { name: /^Chats a minute/ }).waitFor()],
  "status-busy": ["/status", (p) => p.getByRole("img", { name: /^Chats a minute/ }).waitFor(), async (p) => {
    await busy(p);
    await status(p, (s) => ({ ...s, jobs: 4, documents: { ...s.documents, indexing: 3, failed: 2 }, upstreams: s.upstreams.map((u, i) => (i ? u : { ...u, state: "open", failures: 7, cause: "503", failed_at: new Date().toISOString() })) }));
  }],
  "status-fine": ["/status", (p) => p.getByText("Everything works").waitFor(), async (p) => {
    await status(p, (s) => ({ ...s, degraded: [], embedder: { state: "ready", model: "builtin", dimensions: 384 } }));
    await p.route("**/v1.0/usage/minutes", (route) => json(route, { data: minutes().map((m) => ({ ...m, requests: 0 })), total: { ...minutes()[0], requests: 0 } }));
  }],
};

// A page is loaded once, and looked at in each width and scheme.
async function looks(page, name) {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await look(page, `${name}-${colorScheme}-${width}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

test("each screen, light and dark, wide and narrow", async (t) => {
  const page = await visit(t, { at: "/keys" });
  for (const [name, [at, ready, prepare]] of Object.entries(screens)) {
    await prepare?.(page);
    await page.goto(base + (typeof at === "string" ? at : at()));
    await ready(page);
    await looks(page, name);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
});

test("what cannot be loaded, and what is being loaded", async (t) => {
  const page = await visit(t, { at: "/keys", expected: ["500"] });
  for (const at of ["/keys", "/upstreams", "/audit", "/status"]) {
    const own = new RegExp(`/v1.0${at === "/status" ? "/(status|usage)" : at}`);
    await page.route(own, (route) => json(route, { error: { message: "The server failed.", type: "server_error", param: null, code: "internal_error" } }, 500));
    await page.goto(base + at);
    await page.getByText("This did not work").first().waitFor();
    await look(page, `${at.slice(1)}-error-light-1280`);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.route(own, () => undefined);
    await page.goto(base + at);
    await page.locator(".skeleton i").first().waitFor();
    await look(page, `${at.slice(1)}-loading-light-1280`);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
});
