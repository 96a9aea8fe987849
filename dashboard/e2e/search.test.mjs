// Search, the palette, and what is asked for one question only: screens and states with
// pictures, by pointer and by keyboard, for the admin and for a reader.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, assistant, base, browser, lookAround, visit } from "./browser.mjs";

after(() => browser.close());
const question = "How many vacation days do I get?";
const searching = `/search?q=${encodeURIComponent(question)}`;
let admin, reader, handbook; // keys of this file: limits count by key

before(async () => {
  const make = async (name, scopes) => (await ask("POST", "/v1.0/keys", { name, scopes, limits: { searches_per_minute: 1000 } })).key;
  admin = await make("search tests", ["admin", "chat", "search"]);
  reader = await make("search reader", ["search"]);
  handbook = (await ask("GET", "/v1.0/assistants/handbook/documents?q=employee-handbook")).data[0].id;
});

const result = (n, more = {}) => ({
  document_id: "doc_x", document_name: `Name ${n}.pdf`, collection_id: "coll_x", collection_name: "Papers", chunk_id: `chunk_${n}`, chunk_index: n, chunk_text: `Passage ${n} says so.`,
  excerpt: `Passage ${n} says so.`, relevance_score: 0.9 - n / 10, page_number: n + 1, section_header: "Section", char_start: 0, char_end: 10, ...more,
});
const cite = (number, r) => ({ number, document_id: r.document_id, document_name: r.document_name, page_number: r.page_number, section_header: r.section_header, excerpt: r.excerpt, char_start: 0, char_end: 10, confidence: r.relevance_score, chunk_id: r.chunk_id });
const events = (...list) => list.map((e, i) => `event: ${e.type}\nid: s-${i + 1}\ndata: ${JSON.stringify(e)}\n\n`).join("");
const stream = (...list) => ({ status: 200, contentType: "text/event-stream", body: events(...list) });
const refusal = (status, code, message) => ({ status, contentType: "application/json", body: JSON.stringify({ error: { message, type: "x", param: null, code } }) });

const screens = {
  "search-empty": ["/search", (p) => p.getByText("Search all documents").waitFor()],
  "search-answer": [searching, (p) => p.locator(".main li").nth(2).waitFor()],
  "search-why": [searching, async (p) => {
    await p.getByRole("button", { name: /^Why/ }).first().click();
    await p.locator(".main mark").first().waitFor();
  }],
  "search-viewer": [searching, async (p) => {
    await p.getByRole("button", { name: /^Open: / }).first().click();
    await p.locator("canvas").waitFor();
  }],
  "search-similar": [searching, async (p) => {
    await p.getByRole("button", { name: /^Similar/ }).first().click();
    await p.getByText("Passages like").waitFor();
    await p.locator(".main li").first().waitFor();
  }],
  palette: ["/", async (p) => {
    await p.locator("main li").first().waitFor();
    await p.keyboard.press("Control+k");
    await p.getByRole("combobox", { name: "Find a passage" }).fill("handbook");
    await p.getByRole("group", { name: "Passages" }).waitFor();
  }],
  "chat-options": ["/a/handbook/chat", async (p) => {
    await p.keyboard.press("Escape");
    await p.getByRole("button", { name: "Options" }).click();
    await p.getByLabel("Citation format").selectOption("markdown");
    await p.getByText("This format is for other programs").waitFor();
  }],
  "chat-sent": [`/a/handbook/chat?q=${encodeURIComponent(question)}`, async (p) => {
    await p.locator(".cards").waitFor();
    await p.getByRole("button", { name: "Inspector" }).click();
    await p.locator("pre", { hasText: "Use the following numbered sources" }).waitFor();
    await p.getByText("As the model got it").scrollIntoViewIfNeeded();
  }],
  "viewer-find": [`/documents/DOC?page=1`, async (p) => {
    await p.getByRole("button", { name: "Pages" }).click();
    await p.getByRole("button", { name: "Find in the document" }).click();
    await p.getByLabel("Find in this document").fill("annual  leave");
    await p.keyboard.press("Enter");
    await p.getByText(/^1 of \d/).waitFor();
    await p.locator(".around canvas[aria-label]").waitFor();
  }],
  "settings-preview": ["/a/handbook/settings?find=enable_citations", async (p) => {
    await p.getByLabel("enable_citations").uncheck();
    await p.getByRole("button", { name: "Try before saving" }).click();
    await p.getByLabel("Ask a question with the saved").fill(question);
    await p.keyboard.press("Enter");
    await p.getByText("This answer has no citations.").waitFor();
    await p.locator(".pair .badge").first().waitFor();
  }],
};
const states = {
  "search-none": [stream({ type: "done", confidence: 0, confidence_level: "low", result_count: 0, results: [], warnings: [] }), "No passage fits"],
  "search-model-down": [stream({ type: "status", content: "x" }, { type: "error", code: "SERVICE_ERROR", message: "Down.", result_count: 2, results: [result(0), result(1)] }), "The model did not answer"],
  "search-failed": [stream({ type: "error", code: "SERVICE_ERROR", message: "The documents could not be searched.", result_count: 0, results: [] }), "This did not work"],
  "search-error": [refusal(500, "internal_error", "The server failed."), "This did not work"],
  "search-forbidden": [refusal(403, "permission_denied", "The key lacks the scope search."), "Your key may not see this"],
  "search-limited": [refusal(429, "rate_limit_exceeded", "Too many searches with this key. Try again in 20 seconds."), "Too many requests"],
};

test("screens of search and of what is asked, light and dark, narrow and wide", async (t) => {
  const page = await visit(t, { key: admin });
  for (const [name, [at, ready]] of Object.entries(screens)) {
    await page.goto(base + at.replace("DOC", handbook));
    await ready(page);
    await lookAround(page, name);
    for (const discard of await page.getByRole("button", { name: "Discard" }).all()) await discard.click();
  }
});

test("states of search, light and dark, narrow and wide", async (t) => {
  const page = await visit(t, { key: admin, expected: ["403", "429", "500"] });
  let answer;
  await page.route("**/v1/search", (route) => route.fulfill(answer));
  for (const [name, [given, says]] of Object.entries(states)) {
    answer = given;
    await page.goto(base + searching);
    await page.getByText(says).first().waitFor();
    await lookAround(page, name);
  }
  // An answer that is being written, and one that has not begun.
  await page.addInitScript((piece) => {
    const real = window.fetch;
    window.fetch = (input, init) => {
      if (!String(input.url ?? input).endsWith("/v1/search")) return real(input, init);
      const begun = new ReadableStream({ start: (c) => { if (window.name === "writing") c.enqueue(new TextEncoder().encode(piece)); } });
      return Promise.resolve(new Response(begun, { status: 200, headers: { "Content-Type": "text/event-stream" } }));
    };
  }, events({ type: "status", content: "x" }, { type: "token", content: "Employees get **27 days** [1]" }, { type: "citation", data: cite(1, result(0)) }, { type: "token", content: " and more when" }));
  for (const [name, ready] of [["writing", ".main .badge"], ["loading", ".skeleton i"]]) {
    await page.evaluate((x) => { window.name = x; }, name);
    await page.goto(base + searching);
    await page.locator(ready).first().waitFor();
    await lookAround(page, `search-${name}`);
  }
});

test("a reader searches, checks the passage, and shares the address", async (t) => {
  const page = await visit(t, { key: reader, at: "/search", expected: ["403"] });
  await page.getByLabel("Search the documents").fill(question);
  await page.keyboard.press("Enter");
  await page.locator(".answer .badge").first().click();
  await page.locator("canvas").waitFor();
  const shared = page.url();
  assert.match(shared, /q=How.*result=chunk_/);
  await page.keyboard.press("Escape");
  await page.locator("canvas").waitFor({ state: "detached" });
  const open = page.getByRole("button", { name: /^Open: employee-handbook.pdf, page 4/ }).first();
  await open.focus();
  await page.keyboard.press("Enter");
  await page.locator("canvas").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("canvas").waitFor({ state: "detached" });
  assert.ok(await open.evaluate((b) => b === document.activeElement), "the focus returns");
  await page.getByRole("button", { name: /^Why: / }).first().click();
  await page.locator(".main mark", { hasText: /vacation/i }).first().waitFor();
  await page.getByText("Words", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Copy citation: / }).first().click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^“.+” \(Source: employee-handbook\.pdf, page \d+, chunk \d+\)$/s);
  await page.goto(shared); // as another person would
  await page.locator("canvas").waitFor();
  await page.goBack();
  await page.getByLabel("Employee handbook").or(page.locator("fieldset input")).first().waitFor();
});

test("a lost connection says so and goes on where it was", async (t) => {
  const page = await visit(t, { key: admin, at: "/search" });
  const resumed = [];
  await page.route("**/v1/search", (route) => {
    const last = route.request().headers()["last-event-id"];
    resumed.push(last);
    const all = [{ type: "status", content: "x" }, { type: "token", content: "Both say so [1]" }, { type: "citation", data: cite(1, result(0)) }];
    return route.fulfill(last ? stream({ type: "token", content: ", and so [1]." }, { type: "done", confidence: 0.9, confidence_level: "high", result_count: 1, results: [result(0)], warnings: [] }) : stream(...all));
  });
  await page.getByLabel("Search the documents").fill("x y");
  await page.keyboard.press("Enter");
  await page.getByText("The connection was lost").last().waitFor();
  await page.locator(".main li").waitFor();
  assert.deepEqual(resumed, [undefined, "s-3"]);
  assert.match(await page.locator(".main .answer").first().innerText(), /Both say so\s*1, and so\s*1\./);
});

test("the palette by keyboard", async (t) => {
  const page = await visit(t, { key: admin, at: "/search" });
  const field = page.getByLabel("Search the documents");
  await field.focus();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: "Find a passage" });
  await palette.fill("top_k");
  await page.getByRole("option", { name: /retrieval_top_k/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.ok(await field.evaluate((f) => f === document.activeElement), "the focus returns");
  await page.keyboard.press("Control+k");
  await palette.fill("retrieval_top_k");
  const option = page.getByRole("option", { name: /^retrieval_top_k/ });
  await option.waitFor();
  while ((await option.getAttribute("aria-selected")) !== "true") await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByLabel("retrieval_top_k").waitFor();
  await page.keyboard.press("Control+k");
  await palette.fill("vacation days");
  await page.getByRole("group", { name: "Passages" }).getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowUp"); // around to the last
  await page.keyboard.press("Enter");
  await page.locator("canvas, .sheet").first().waitFor();
  assert.match(page.url(), /\/documents\/doc_.*highlight=/);
});

test("what documents say is text in results, explanations and the palette", async (t) => {
  const bad = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](https://canary.invalid/x)", "<svg onload=alert(1)>", '"><iframe src=https://canary.invalid>'].join(" ");
  const { slug } = await assistant(`Odd <b onclick=alert(1)> ${Date.now()}`, { "<img src=x onerror=alert(1)>.txt": `Zebrafish ${bad} zebrafish.` });
  const page = await visit(t, { key: admin, at: `/search?q=zebrafish&assistant=${slug}` });
  await page.getByRole("button", { name: /^Why: / }).first().click();
  await page.locator(".main mark").first().waitFor();
  await page.getByRole("button", { name: /^Open: / }).first().click();
  await page.locator(".sheet mark").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a passage" }).fill("zebrafish");
  await page.getByRole("group", { name: "Passages" }).waitFor();
  await page.goto(`${base}/a/${slug}/chat?q=zebrafish`);
  await page.locator(".cards").waitFor();
  await page.getByRole("button", { name: "Inspector" }).click();
  await page.locator("details pre", { hasText: "onerror" }).first().waitFor();
  const made = await page.locator("body").evaluate((body) => body.querySelectorAll("#app script, #app iframe, #app img, #app svg, #app [onerror], #app [onload], #app [onclick]").length);
  assert.equal(made, 0, "text became elements");
});

test("options hold for one question, and the inspector shows what the model was sent", async (t) => {
  const page = await visit(t, { key: admin, at: "/a/handbook/chat" });
  const asked = [];
  await page.route("**/v1/chat/completions", (route) => { asked.push(route.request()); return route.continue(); });
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByLabel("Passages at most").fill("2");
  await page.getByLabel("Only documents with").fill("none, such");
  const field = page.getByLabel("Ask about your documents");
  await field.fill(question);
  await page.keyboard.press("Enter");
  await page.getByText("No passage of the documents fits").waitFor();
  await field.fill(question);
  await page.keyboard.press("Enter");
  await page.locator(".cards").waitFor();
  const [first, second] = asked.map((r) => r.postDataJSON());
  assert.deepEqual([first.retrieval_options, first.metadata_filter], [{ top_k: 2 }, { required_labels: ["none", "such"] }]);
  assert.deepEqual([second.retrieval_options, second.metadata_filter], [undefined, undefined]);
  await page.locator("body").evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("i");
  const system = page.locator("details", { hasText: "system" }).first();
  assert.match(await system.innerText(), /\[1\] \(Source: "employee-handbook\.pdf", page 4\)/);
});

test("a reader finds words in a document, by keyboard", async (t) => {
  const page = await visit(t, { key: reader, at: `/documents/${handbook}?name=employee-handbook.pdf&page=4&highlight=0-0`, expected: ["403"] });
  await page.locator("canvas").waitFor();
  await page.getByText("of 15").waitFor();
  await page.getByRole("button", { name: "Find in the document" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("PENSION");
  await page.getByText(/^0 of \d+/).waitFor();
  const at = () => page.getByLabel("Page", { exact: true }).inputValue();
  await page.keyboard.press("Enter");
  await page.getByText(/^1 of \d+/).waitFor();
  await page.waitForFunction(() => document.querySelector(".pages input")?.value !== "4");
  const first = await at();
  await page.getByRole("button", { name: "Text", exact: true }).click();
  assert.match(await page.locator(".sheet mark").innerText(), /^pension$/i);
  await page.locator(".sheet").evaluate((sheet) => { getSelection()?.selectAllChildren(sheet); });
  assert.match(await page.evaluate(() => String(getSelection())), /pension/i);
  await page.getByLabel("Find in this document").focus();
  await page.keyboard.press("Shift+Enter"); // around to the last
  await page.getByText(/^(\d+) of \1$/).waitFor();
  await page.keyboard.press("Escape");
  assert.ok(await page.getByRole("button", { name: "Find in the document" }).evaluate((b) => b === document.activeElement), "the focus returns");
  await page.getByRole("button", { name: "Back to the passage" }).click();
  assert.equal(await at(), "4");
  assert.notEqual(first, "4");
  await page.getByLabel("Page", { exact: true }).fill("15");
  await page.keyboard.press("Enter");
  assert.equal(await at(), "15");
});
