// The first steps say how they end: a document that cannot be read, a model server that does not answer.
import assert from "node:assert/strict";
import http from "node:http";
import { after, test } from "node:test";
import { ask, browser, lookAround, visit } from "./browser.mjs";

after(() => browser.close());

/** A model server with a list of models, or none (undefined), that answers only these. */
async function modelServer(t, listed, answers) {
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => {
      response.setHeader("Content-Type", "application/json");
      if (request.url.endsWith("/models") && listed) return response.end(JSON.stringify({ object: "list", data: listed.map((id) => ({ id, object: "model", created: 1, owned_by: "x" })) }));
      const { model, stream } = JSON.parse(body || "{}");
      if (!request.url.endsWith("/chat/completions") || !answers.includes(model)) {
        response.statusCode = 404;
        return response.end(JSON.stringify({ error: { message: "no such model here", type: "invalid_request_error", code: "model_not_found" } }));
      }
      const chunk = (delta, finish) => `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      if (stream) {
        response.setHeader("Content-Type", "text/event-stream");
        return response.end(`${chunk({ content: "Hello there." }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
      }
      response.end(JSON.stringify({ id: "x", object: "chat.completion", created: 1, model, choices: [{ index: 0, message: { role: "assistant", content: "Hello there." }, finish_reason: "stop" }] }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/v1`;
}

async function own(t) {
  const made = await ask("POST", "/v1.0/assistants", { name: "A first of one's own", settings: { enable_rag: true, enable_citations: true } });
  t.after(() => ask("DELETE", `/v1.0/assistants/${made.slug}`));
  return made;
}

// The welcome page knows the first assistant of one's own only, so these tests see to it that there is one.
async function onlyOwn(page, made) {
  await page.route("**/v1.0/assistants?*", async (route) => {
    const response = await route.fetch();
    const list = await response.json();
    return route.fulfill({ response, json: { ...list, data: list.data.filter((a) => a.slug === "handbook" || a.slug === made?.slug) } });
  });
  await page.goto(new URL("/welcome", page.url()).href);
}

test("a question that is empty cannot be asked", async (t) => {
  const page = await visit(t, { at: "/welcome" });
  await page.getByRole("button", { name: "Ask this" }).waitFor();
  await page.getByLabel("Ask about your documents").fill("  ");
  assert.ok(await page.getByRole("button", { name: "Ask this" }).isDisabled());
  await page.goto(new URL("/a/handbook/chat?q=", page.url()).href);
  await page.getByText("Ask the first question").waitFor();
});

test("without an assistant of one's own the first screen is the first steps", async (t) => {
  const page = await visit(t, {});
  await page.getByRole("heading", { level: 1 }).waitFor();
  await onlyOwn(page);
  await page.goto(new URL("/", page.url()).href);
  await page.getByRole("heading", { name: "First steps" }).waitFor();
});

test("a dropped document shows its way, and why it could not be read", async (t) => {
  const made = await own(t);
  const page = await visit(t, { at: "/welcome" });
  await page.locator("main").waitFor();
  await onlyOwn(page, made);
  await page.getByText(/The assistant .+ gets it\./).waitFor();
  let let_go;
  const held = new Promise((resolve) => { let_go = resolve; });
  await page.route("**/v1.0/assistants/*/documents", async (route) => {
    if (route.request().method() === "POST") await held;
    return route.continue();
  });
  await page.locator("input[type=file]").setInputFiles([{ name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\nthis is no PDF") }, { name: "bees.md", mimeType: "text/markdown", buffer: Buffer.from("# Bees\n\nA colony needs honey.\n") }]);
  await page.getByRole("progressbar", { name: "broken.pdf" }).waitFor(); // also while the first byte is on its way
  let_go();
  await page.getByText(/broken\.pdf.: failed: \S/).waitFor();
  await page.getByText(/bees\.md.: ready/).waitFor();
  await lookAround(page, "welcome-failed");
  await page.getByRole("link", { name: "What happened" }).click();
  await page.getByRole("dialog", { name: "broken.pdf" }).waitFor();
});

async function tryServer(page, url, model = "") {
  await page.getByLabel("Base URL").fill(url);
  await page.getByLabel("Model", { exact: true }).fill(model);
  await page.getByRole("button", { name: "Try and save" }).click();
  await page.getByRole("button", { name: "Try and save" }).waitFor();
}
const stored = async (slug) => [(await ask("GET", "/v1.0/upstreams")).data.map((u) => u.name), (await ask("GET", `/v1.0/assistants/${slug}/settings`)).upstream];

test("a model server is kept only if it answers, and the assistant asks it by its name", async (t) => {
  const made = await own(t);
  const before = (await ask("GET", "/v1.0/upstreams")).data.map((u) => u.id);
  t.after(async () => {
    for (const { id } of (await ask("GET", "/v1.0/upstreams")).data) if (!before.includes(id)) await ask("DELETE", `/v1.0/upstreams/${id}`).catch(() => undefined);
  });
  const page = await visit(t, { at: "/welcome", expected: ["404", "502", "503"] });
  await page.locator("main").waitFor();
  await onlyOwn(page, made);
  const unchanged = await stored(made.slug);
  await tryServer(page, await modelServer(t, [], []));
  await page.getByText("Give the name of its model").waitFor();
  assert.deepEqual(await stored(made.slug), unchanged);
  const silent = await modelServer(t, undefined, ["tiny"]);
  await tryServer(page, silent);
  await page.getByText("Give the name of its model").waitFor();
  await tryServer(page, silent, "wrong");
  await page.locator("[role=status].bad").waitFor();
  assert.match(await page.locator("[role=status].bad").innerText(), /\S/);
  assert.deepEqual(await stored(made.slug), unchanged, "nothing is left of what failed");
  await lookAround(page, "welcome-model-failed");
  await tryServer(page, silent, "tiny");
  await page.getByText("It answers: “Hello there.”").waitFor();
  const [names, asked] = await stored(made.slug);
  assert.equal(names.length, unchanged[0].length + 1);
  assert.match(asked, /^up_/);

  await tryServer(page, await modelServer(t, ["embeds", "chats"], ["chats"]));
  await page.getByText("offers 2 models").waitFor();
  await lookAround(page, "welcome-model-choice");
  await page.getByRole("button", { name: "chats" }).click();
  await page.getByText("It answers: “Hello there.”").waitFor();

  const { name } = (await ask("GET", "/v1.0/upstreams")).data.find((u) => u.default_model === "chats");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.goto(new URL("/", page.url()).href);
  await page.locator("li", { hasText: made.name }).getByText(name).waitFor();
  await page.goto(new URL(`/a/${made.slug}/settings?find=upstream`, page.url()).href);
  const field = page.locator("#s-upstream");
  await field.waitFor();
  await page.locator("#s-upstream option", { hasText: name }).first().waitFor({ state: "attached" });
  assert.equal(await field.evaluate((e) => e.selectedOptions[0].textContent), name);
});
