// What documents, names and models say is text, wherever it is shown.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ask, assistant, browser, visit } from "./browser.mjs";
import { evaluated, remembering } from "./records.mjs";

after(() => browser.close());
const away = "https://canary.invalid/x";
const strings = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", `<img src="${away}">`, `<iframe src="${away}"></iframe>`, "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>",
  `<link rel=stylesheet href="${away}">`, `<style>@import "${away}"</style>`, '<a href="javascript:alert(1)">x</a>', "[x](javascript:alert(1))", "[x](data:text/html,<script>alert(1)</script>)",
  `![x](${away})`, `[![x](${away})](${away})`, "[x](vbscript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](\u0001javascript:alert(1))", "<body onload=alert(1)>", "<details open ontoggle=alert(1)>",
  "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>", '"><script>alert(1)</script>', "'-alert(1)-'", "{{constructor.constructor('alert(1)')()}}", "${alert(1)}", "<%= alert(1) %>",
  "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">", `<video src="${away}" autoplay></video>`, `<object data="${away}"></object>`, `<embed src="${away}">`, `<form action="${away}"><button>x</button></form>`,
  `<meta http-equiv=refresh content="0;url=${away}">`, `<base href="${away}">`, "<input autofocus onfocus=alert(1)>", "<template><script>alert(1)</script></template>", "&lt;script&gt;alert(1)&lt;/script&gt;", "\u202Egnp.exe", "\u0000null",
  "[1](javascript:alert(1))", "[[1]](javascript:alert(1))", "\uE0001\uE001", "[\uE0000\uE001]", "`<img src=x onerror=alert(1)>`", "```html\n<script>alert(1)</script>\n```", "| <b onclick=alert(1)>x</b> |\n|---|\n| <img src=x onerror=alert(1)> |",
  "<x-a onclick=alert(1)>click</x-a>", `<a href="${away}" ping="${away}">x</a>`, `<img srcset="${away} 1x">`, `<div style="background:url(${away})">x</div>`, `<p style="position:fixed;inset:0">x</p>`, "javascript:alert(1)", "<!--<img src=x onerror=alert(1)>-->",
];

test("fifty hostile strings as names, labels, passages and answers", async (t) => {
  assert.ok(strings.length >= 50);
  const documents = Object.fromEntries(strings.map((s, i) => [`${i} ${s.replaceAll(/[/\\\p{Cc}]/gu, "_")}.txt`.slice(0, 120), `Hostile text number ${i} says: ${s.replaceAll("\u0000", "")} and that is all.`]));
  const { slug } = await assistant('<img src=x onerror=alert(1)> "Hostile"', documents);
  const page = await visit(t, { at: `/a/${slug}/documents?sort=name` });
  await page.locator("td.name button").first().waitFor();
  await page.locator("td.name button").first().click();
  await page.getByText("Hostile text number").first().waitFor();
  await page.keyboard.press("Escape");
  await page.goto(new URL("/", page.url()).href);
  await page.locator("main b", { hasText: '<img src=x onerror=alert(1)> "Hostile"' }).waitFor();

  // An answer that says all of them, with markers, as a model might.
  const text = strings.map((s) => `${s.replaceAll("\u0000", "")} [1]`).join("\n\n");
  const points = Array.from(text);
  const markers = points.flatMap((c, i) => (c === "[" && points[i + 1] === "1" && points[i + 2] === "]" && points[i - 1] === " " ? [{ choice: 0, start: i, end: i + 3, indices: [1], claim_start: 0, claim_end: i, support: "supported", quote: { index: 1, text: strings.join(" "), char_start: 0, char_end: 5 } }] : []));
  const source = { index: 1, document_id: "doc_x", document_name: strings.join(" "), score: 0.9, excerpt: strings.join(" "), chunk_index: 0, char_start: 0, char_end: 5, citation: strings[0], section_header: strings[1] };
  const citations = { status: "cited", sources: [source], referenced_indices: [1], markers, invalid_indices: [], coverage: 1, confidence: 0.5, confidence_percent: 50, confidence_level: "medium", confidence_factors: {}, offset_unit: "codepoint", warnings: [strings[2]] };
  const chunk = (delta, more = {}) => `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: more.citations ? "stop" : null }], ...more })}\n\n`;
  await page.route("**/v1/chat/completions", (route) => route.fulfill({ status: 200, contentType: "text/event-stream", body: chunk({ content: text }) + chunk({}, { citations }) + "data: [DONE]\n\n" }));
  await page.goto(new URL(`/a/${slug}/chat?q=${encodeURIComponent(strings[0])}`, page.url()).href);
  await page.locator(".cards").waitFor();
  assert.ok((await page.locator(".answer .badge").count()) > 35); // Markdown takes the rest for code
  assert.doesNotMatch(await page.locator(".answer").innerText(), /[\uE000\uE001]/);
  const made = await page.locator("main").evaluate((main) => main.querySelectorAll("script, iframe, img, object, embed, video, form[action], base, meta, link, style, svg, [onerror], [onload], [onclick], [style*=url]").length);
  assert.equal(made, 0, "text became elements");
  const links = await page.locator(".answer a").evaluateAll((all) => all.map((a) => [new URL(a.href).protocol, a.target, a.rel]));
  for (const [protocol, target, rel] of links) assert.ok(["http:", "https:", "mailto:"].includes(protocol) && target === "_blank" && rel === "noopener noreferrer");
  await page.locator(".answer .badge").first().hover();
  await page.getByRole("tooltip").waitFor();
  await page.keyboard.press("i");
  await page.locator(".frames li").first().waitFor();
  assert.equal(await page.evaluate(() => window.opener), null);
});

// What a server answers may be of others wherever it is a sentence or a name.
const others = new Set(["name", "title", "message", "query", "question", "text", "excerpt", "document_name", "document", "comment", "error", "user", "key_name", "collection_name", "reasons", "answer", "content", "section_header", "description", "detail", "kind", "snippet", "warnings", "labels"]);
const all = strings.map((s) => s.replaceAll("\u0000", "")).join(" ");
function hostileIn(value, of) {
  if (typeof value === "string") return others.has(of) ? `${value} ${all}` : value;
  if (Array.isArray(value)) return value.map((v) => hostileIn(v, of));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, hostileIn(v, k)]));
}
async function hostileAnswers(page) {
  await page.route(/\/v1(\.0)?\/(?!events)/, async (route) => {
    const response = await route.fetch();
    const type = response.headers()["content-type"] ?? "";
    if (type.startsWith("application/json")) return route.fulfill({ response, json: hostileIn(await response.json()) });
    if (!type.startsWith("text/event-stream")) return route.fulfill({ response });
    const body = (await response.text()).replace(/^data: (\{.*\})$/gm, (_, json) => `data: ${JSON.stringify(hostileIn(JSON.parse(json)))}`);
    return route.fulfill({ response, body });
  });
}

test("fifty hostile strings in every other screen", async (t) => {
  const own = await remembering("Hostile history");
  const { slug, runs } = await evaluated("Hostile questions");
  const key = await ask("POST", "/v1.0/keys", { name: "hostile", scopes: ["search"] });
  const upstream = await ask("POST", "/v1.0/upstreams", { name: "hostile", base_url: "http://127.0.0.1:9/v1" });
  t.after(async () => {
    await ask("DELETE", `/v1.0/keys/${key.id}`);
    await ask("DELETE", `/v1.0/upstreams/${upstream.id}`);
  });
  const page = await visit(t, { at: "/welcome" });
  await page.locator("main").waitFor();
  await hostileAnswers(page);
  for (const at of ["/", "/keys", "/upstreams", "/audit", "/status", "/search?q=honey", `/a/${own}/history`, `/a/${own}/documents`, `/a/${own}/settings`, `/a/${own}/connect`, `/a/${slug}/eval`, `/a/${slug}/eval?run=${runs[1]}`]) {
    await page.goto(new URL(at, page.url()).href);
    await page.locator("main").getByText("onerror=alert(1)").filter({ visible: true }).first().waitFor();
    await harmless(page, at);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a passage" }).fill("honey");
  await page.locator("dialog[open] [role=option]").getByText("onerror=alert(1)").first().waitFor();
  await harmless(page, "the palette");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

// A name may have been stored before the server refused such names, or come from elsewhere.
test("a long name stays in its place, and a name that turns text turns no sentence", async (t) => {
  const name = `${"n".repeat(211)}.txt`;
  const { slug } = await assistant("Long names", { [name]: "Bees make honey, which is sweet." });
  const key = await ask("POST", "/v1.0/keys", { name: "turned", scopes: ["search"] });
  t.after(() => ask("DELETE", `/v1.0/keys/${key.id}`));
  const page = await visit(t, { at: `/a/${slug}/documents?sort=name` });
  await page.getByRole("button", { name }).click();
  await page.getByText("Bees make honey").waitFor();
  await harmless(page, "a document");
  await page.keyboard.press("Escape");
  await page.goto(new URL("/search?q=honey+sweet+bees", page.url()).href);
  await page.locator("main li", { hasText: name }).first().waitFor();
  await harmless(page, "search");
  await page.goto(new URL(`/a/${slug}/chat?q=${encodeURIComponent("What do bees make?")}`, page.url()).href);
  await page.locator(".answer .badge").first().hover();
  await page.getByRole("tooltip").waitFor();
  assert.ok(await page.getByRole("tooltip").evaluate((e) => e.scrollWidth <= e.clientWidth), "the tip is as wide as it is");

  await page.route(/\/v1\.0\/keys/, async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, body: (await response.text()).replaceAll('"turned"', '"\\u202Egnp.exe"') });
  });
  await page.goto(new URL(`/keys?key=${key.id}`, page.url()).href);
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  const sentence = await page.getByText("stops working at once").innerText();
  assert.ok(sentence.startsWith("“\u2068gnp.exe\u2069” stops"), JSON.stringify(sentence));
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

async function harmless(page, where) {
  const made = await page.evaluate(() => [...document.body.querySelectorAll("script, iframe, img, object, embed, video, form[action], base, meta, link, style, math, [onerror], [onload], [onclick], [ontoggle], [onfocus], [style*=url]")].filter((e) => !(e.tagName === "SCRIPT" && e.src.startsWith(location.origin))).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(made, [], `${where}: text became elements`);
  const hrefs = await page.locator("a[href]").evaluateAll((links) => links.map((a) => new URL(a.href).protocol).filter((p) => !["http:", "https:", "mailto:", "blob:"].includes(p)));
  assert.deepEqual(hrefs, [], `${where}: links that run something`);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await drawn(page);
    const wide = await page.evaluate(() => {
      const wider = () => [document.documentElement, ...document.querySelectorAll("main, main li, dialog[open], [role=tooltip]")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "hidden" && getComputedStyle(e).display !== "inline");
      wider(); // Chromium lays out what it had left out (closed details, content-visibility) only when it is asked.
      return wider().map((e) => `${e.tagName}.${e.className} ${e.scrollWidth} > ${e.clientWidth}`);
    });
    assert.deepEqual(wide, [], `${where}: wider than its place at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

// What is measured before the page was drawn in its new size may still be of the old one.
function drawn(page) {
  return page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); }));
}
