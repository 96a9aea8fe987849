// Keys, model servers, audit log and status: each screen in its states, the people who
// need them, and what others say in them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { after, before, test } from "node:test";
import { ask, assistant, base, browser, look, lookAround, visit } from "./browser.mjs";

const hostile = '<img src=x onerror=alert(1)>"\'{{7*7}}</script><script>alert(1)</script>';
const models = ["qwen3:8b", "llama3.2:latest", hostile, ...Array.from({ length: 9 }, (_, i) => `model-${i}`)];
let works = true; // whether the scripted model server does
const scripted = http.createServer((request, response) => {
  response.setHeader("Content-Type", "application/json");
  response.statusCode = works && request.url.endsWith("/models") ? 200 : 503;
  response.end(response.statusCode === 200 ? JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model", created: 1, owned_by: "x" })) }) : `{"error":{"message":${JSON.stringify(hostile)}}}`);
});
const made = { assistants: [], keys: [], upstreams: [] }; // in the order in which they can be deleted
const names = [hostile, "[x](javascript:alert(1))", "<svg onload=alert(1)>", "<iframe src=https://canary.invalid/x></iframe>", "{{constructor.constructor('alert(1)')()}}", "${alert(1)}", "gnp.exe", "<style>*{display:none}</style>", "=cmd|' /C calc'!A0", "x".repeat(255)];
let server, key, asleep;

before(async () => {
  await new Promise((resolve) => { scripted.listen(0, "127.0.0.1", resolve); });
  const url = `http://127.0.0.1:${scripted.address().port}/v1`;
  server = await upstream({ name: "Workstation", base_url: url, api_key: "sk-secret", default_model: "qwen3:8b", headers: { "X-Team": "search" } });
  asleep = await upstream({ name: `Night shift ${hostile}`, base_url: "http://127.0.0.1:9/v1" });
  const limits = { requests_per_minute: 60, tokens_per_month: 1_000_000 };
  key = await newKey({ name: "Web site", scopes: ["chat"], assistants: ["handbook"], limits });
  for (const name of names.slice(1)) await newKey({ name, scopes: ["search"] });
  await newKey({ name: hostile, scopes: ["search"], expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString() });
  const chat = (content, secret = key.key) => ask("POST", "/v1/chat/completions", { model: "handbook", messages: [{ role: "user", content }], user: hostile }, secret);
  await chat("How many vacation days do I get?");
  await chat(`${hostile} What is a sabbatical?`);
});
after(async () => {
  await browser.close();
  scripted.close();
  scripted.closeAllConnections();
  for (const [kind, ids] of Object.entries(made)) for (const id of ids) await ask("DELETE", `/v1.0/${kind}/${id}`);
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
  "audit-filters": ["/audit?action=chat", async (p) => { await opens(p, "chat").first().waitFor(); await p.locator(".fold").evaluate((b) => b.click()); }],
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

test("each screen, light and dark, wide and narrow", async (t) => {
  const page = await visit(t, { at: "/keys" });
  for (const [name, [at, ready, prepare]] of Object.entries(screens)) {
    await prepare?.(page);
    await page.goto(base + (typeof at === "string" ? at : at()));
    await ready(page);
    await lookAround(page, name);
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
    await lookAround(page, `${at.slice(1)}-error`);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.route(own, () => undefined);
    await page.goto(base + at);
    await page.locator(".skeleton i").first().waitFor();
    await lookAround(page, `${at.slice(1)}-loading`);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
});

test("what is known is shown when a part is missing", async (t) => {
  await assistant("One of one\'s own", {}); // without one, the first steps stand at /
  const page = await visit(t, { at: "/status", expected: ["500"] });
  const fail = (address) => page.route(address, (route) => json(route, { error: { message: "The server failed.", type: "server_error", param: null, code: "internal_error" } }, 500));
  await page.getByRole("heading", { name: "Stores" }).waitFor();
  await fail("**/v1.0/status");
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("What follows is from").waitFor();
  await lookAround(page, "status-old");
  for (const [name, at, part, said] of [
    ["keys", "/keys", "**/v1.0/usage?*", "could not be counted"], ["upstreams", "/upstreams", "**/v1.0/status", "The list itself is complete"], ["assistants", "/", "**/v1.0/collections?*", "could not be loaded completely"],
  ]) {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await fail(part);
    await page.goto(base + at);
    await page.getByText(said).waitFor();
    await lookAround(page, `${name}-partial`);
  }
});

test("a key without the scope admin is told so on each screen, and is not led there", async (t) => {
  const { key: reader } = await newKey({ name: "reader", scopes: ["chat"] });
  const page = await visit(t, { key: reader, at: "/keys", expected: ["403"] });
  for (const at of ["/keys", "/upstreams", "/audit", "/status"]) {
    await page.goto(base + at);
    await page.getByText("Your key may not see this").first().waitFor();
    assert.equal(await page.locator(`nav a[href="${at}"]`).count(), 0);
  }
  await lookAround(page, "status-forbidden");
});

test("the admin makes a key by keyboard alone, uses its snippet, and revokes it", async (t) => {
  const page = await visit(t, { at: "/keys" });
  await opens(page, "Web site").waitFor();
  const to = async (name, press) => {
    for (let n = 0; n < 80; n++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => { const e = document.activeElement; return (e?.getAttribute("aria-label") ?? e?.labels?.[0]?.textContent ?? e?.textContent ?? "").trim(); });
      if (at.startsWith(name)) return page.keyboard.press(press);
    }
    throw new Error(`Tab does not reach ${name}`);
  };
  await to("New key", "Enter");
  await to("Name", "End");
  await page.keyboard.type("Night shift");
  await to("All assistants", "ArrowDown");
  await to("Handbook", "Space");
  await to("New key", "Enter");
  const secret = await page.locator(".key code").textContent();
  await page.keyboard.press("Enter"); // the focus is on Copy
  await page.getByText("Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
  await lookAround(page, "keys-made");
  for (let i = 0; i < 3; i++) await page.keyboard.press("Escape"); // does not lose the key
  const curl = (await page.locator("pre").textContent()).replace("What do the documents say?", "How many vacation days do I get?");
  assert.deepEqual(JSON.parse(execFileSync("sh", ["-c", curl.replace("curl ", "curl -s ")], { encoding: "utf8" })).citations.referenced_indices, [1]);
  await to("I have kept it", "Enter");
  await page.locator(".key code").waitFor({ state: "detached" });
  assert.ok(!(await page.content()).includes(secret));

  const row = page.getByRole("row", { name: /Night shift/ });
  await row.getByText("Handbook").waitFor();
  await to("Night shift", "Enter");
  await page.getByRole("heading", { name: "Night shift" }).waitFor();
  const { id } = (await ask("GET", "/v1.0/keys?state=active")).data.find((k) => k.name === "Night shift");
  assert.equal(new URL(page.url()).search, `?key=${id}`);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Night shift"); // the focus is back
  await page.waitForURL((url) => url.search === "");
  await page.keyboard.press("Enter");
  await page.getByLabel("Requests per minute").last().fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("0 of 5").waitFor();
  await to("Revoke", "Enter");
  await to("Revoke this key", "Enter");
  await page.getByText("is revoked").first().waitFor();
  await page.keyboard.press("Escape");
  await row.waitFor({ state: "detached" });
  assert.equal((await fetch(`${base}/v1/models`, { headers: { Authorization: `Bearer ${secret}` } })).status, 401);
  await page.getByLabel("State").selectOption("revoked");
  await row.getByText("Revoked").first().waitFor();
});

test("the admin adds a model server, tries it, and deletes it; its key is never shown", async (t) => {
  const page = await visit(t, { at: "/upstreams", expected: ["400"] });
  await page.getByRole("button", { name: "Add server" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Attic");
  await dialog.getByLabel("Base URL").fill(server.base_url);
  await dialog.getByLabel("Key of that server").fill("sk-attic-secret");
  await dialog.getByText("Headers and time limits").click();
  await dialog.getByLabel("Headers of each request").fill("X-Team");
  await dialog.getByRole("button", { name: "Save and test" }).click();
  await dialog.getByRole("alert").waitFor(); // beside the field
  await dialog.getByLabel("Headers of each request").fill("X-Team: attic");
  await dialog.getByRole("button", { name: "Save and test" }).click();
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Attic" }) });
  await card.getByText(/^Answers in/).waitFor();
  await card.getByText("All 12 models").click();
  await card.getByText("llama3.2:latest", { exact: true }).waitFor();
  works = false;
  await card.getByRole("button", { name: "Test: Attic" }).click();
  await card.getByText("Fails", { exact: true }).waitFor();
  works = true;
  await card.getByRole("button", { name: "Change: Attic" }).click();
  assert.equal(await dialog.getByLabel("Key of that server").inputValue(), "");
  await dialog.getByLabel("Default model").fill("qwen3:8b");
  await dialog.getByRole("button", { name: "Save and test" }).click();
  await card.getByText(/model .qwen3:8b. · has a key/).waitFor();
  assert.ok(!(await page.content()).includes("sk-attic-secret"));
  await card.getByRole("button", { name: "Delete: Attic" }).click();
  await lookAround(page, "upstreams-delete");
  await dialog.getByRole("button", { name: "Delete this server" }).click();
  await card.waitFor({ state: "detached" });
});

test("whoever is on call finds what fails, since when, and who asked", async (t) => {
  const night = await ask("POST", "/v1.0/assistants", { name: "Night", settings: { upstream: asleep.id, model: "m" } });
  made.assistants.push(night.id);
  for (let i = 0; i < 5; i++) {
    const answer = await fetch(`${base}/v1/chat/completions`, { method: "POST", headers: { Authorization: `Bearer ${key.key}`, "Content-Type": "application/json" }, body: JSON.stringify({ model: "handbook", messages: [] }) });
    assert.equal(answer.status, 400);
    const failed = await fetch(`${base}/v1/chat/completions`, { method: "POST", headers: { Authorization: `Bearer ${process.env.API_KEY}`, "Content-Type": "application/json" }, body: JSON.stringify({ model: night.slug, messages: [{ role: "user", content: names[i] }] }) });
    assert.equal(failed.status, 502);
  }
  const page = await visit(t);
  await page.getByText("Night shift").first().waitFor(); // what needs attention is on top
  await lookAround(page, "assistants-attention");
  await page.getByRole("link", { name: "See the model servers" }).click();
  await page.getByText(/^5 calls in a row failed/).waitFor();
  await page.getByRole("link", { name: "Status" }).click();
  await page.getByText(/^5 calls in a row failed/).waitFor();
  await page.getByText("As a table").click();
  const total = (await ask("GET", "/v1.0/usage/minutes")).total;
  assert.ok(total.failed >= 5 && total.refused >= 5);
  await page.getByRole("img", { name: new RegExp(`failed ${total.failed}`) }).waitFor();
  await page.getByRole("columnheader", { name: "failed", exact: true }).waitFor();
  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("button", { name: "Last hour" }).click();
  await page.getByLabel("Outcome").selectOption("failed");
  await page.getByLabel("Assistant", { exact: true }).selectOption("Night");
  await page.reload(); // all of it stands in the address
  await opens(page, "chat").first().waitFor();
  assert.equal(await page.locator("tbody tr").count(), 5);
  assert.deepEqual([...new URL(page.url()).searchParams.keys()].sort(), ["assistant", "from", "result"]);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download CSV" }).click()]);
  assert.equal(fs.readFileSync(await file.path(), "utf8").match(/,upstream_connect_failed,/g).length, 5);
  await opens(page, "chat").first().click();
  await page.getByText("Error code").waitFor();
  await page.goBack();
  await page.getByText("Error code").waitFor({ state: "detached" });
});

test("the audit log is read page by page", async (t) => {
  for (let i = 0; i < 60; i++) await ask("PATCH", `/v1.0/keys/${key.id}`, { limits: { requests_per_minute: 60 + i } });
  const page = await visit(t, { at: "/audit?action=key.update" });
  await page.getByRole("button", { name: "Older" }).click();
  await page.waitForURL(/cursor=/);
  await page.getByRole("button", { name: "← Newest" }).waitFor();
  await page.locator("tbody tr").nth(9).waitFor();
  await page.goBack();
  await page.locator("tbody tr").nth(49).waitFor();
});

test("names, models and questions are text", async (t) => {
  const page = await visit(t, { at: "/keys", expected: ["400"] });
  for (const [at, seen] of [["/keys", names[9]], ["/upstreams", `Night shift ${hostile}`], ["/audit?action=chat", `${hostile} What is a sabbatical?`], ["/audit?key=%3Cimg%3E&from=%22%3E", "must be"], ["/status", `Night shift ${hostile}`]]) {
    await page.goto(base + at);
    await page.getByText(seen).filter({ visible: true }).first().waitFor();
    const elements = await page.locator("main").evaluate((main) => main.querySelectorAll("script, iframe, img, object, embed, form[action], base, meta, link, style, [onerror], [onload], [onclick]").length);
    assert.equal(elements, 0, `${at}: text became elements`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${at}: a long name widens the page`);
  }
});

test("all of it is there in German", async (t) => {
  const page = await visit(t, { at: "/keys" });
  await page.evaluate(() => { localStorage.setItem("footnote.language", "de"); });
  for (const [at, seen] of [["keys", "Zuletzt benutzt"], ["upstreams", "Modellserver"], ["audit", "Worum es ging"], ["status", "Die letzte Stunde"]]) {
    await page.goto(`${base}/${at}`);
    await page.getByText(seen).first().waitFor();
    await look(page, `${at}-german-light-1280`);
  }
});
