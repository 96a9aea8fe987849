// What the tests share: a browser, a page that fails the test at any breach of the
// dashboard's rules, pictures, and what a server must have for a test.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

export const base = process.env.BASE_URL;
export const adminKey = process.env.API_KEY;
const pictures = process.env.PICTURES;
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

/** A page for a person with a key. expected are failures of requests that the test provokes. */
export async function visit(t, { key = adminKey, width = 1280, scheme = "light", expected = [], at = "/" } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme, locale: "en-GB", reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // much is tested at once
  const breaches = [];
  page.on("pageerror", (e) => breaches.push(`error: ${e.message}`));
  page.on("dialog", (d) => breaches.push(`dialog: ${d.message()}`));
  page.on("console", (m) => {
    if (m.type() === "error" && !expected.some((x) => m.text().includes(x))) breaches.push(`console: ${m.text()}`);
  });
  page.on("request", (r) => {
    if (!r.url().startsWith(base) && !r.url().startsWith("blob:")) breaches.push(`request: ${r.url()}`);
  });
  await page.exposeFunction("policyBreach", (what) => breaches.push(`policy: ${what}`));
  await page.addInitScript(() => document.addEventListener("securitypolicyviolation", (e) => globalThis.policyBreach(`${e.effectiveDirective} ${e.blockedURI}`)));
  t.after(async () => {
    await context.close();
    assert.deepEqual(breaches, []);
  });
  await page.goto(key ? `${base}${at}#key=${key}` : base + at);
  return page;
}

/** The ways to look at a state: by day wide in light and narrow in dark, by all rules. With
 * pictures, and at night, there are all four; dark has other colours than light and nothing else. */
export const views = pictures || process.env.NIGHTLY
  ? [{ width: 1280, scheme: "light" }, { width: 1280, scheme: "dark", rules: ["color-contrast"] }, { width: 360, scheme: "light" }, { width: 360, scheme: "dark", rules: ["color-contrast"] }]
  : [{ width: 1280, scheme: "light" }, { width: 360, scheme: "dark" }];

/** Checks a page with axe, by all rules or only some, and keeps a picture of it. */
export async function look(page, name, rules) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate((only) => globalThis.axe.run(document, { resultTypes: ["violations"], ...(only ? { runOnly: only } : {}) }), rules);
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`), [], name);
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

/** Looks at a state of a screen narrow and wide, light and dark. What is drawn anew for
 * another width is waited for. */
export async function lookAround(page, name) {
  for (const { width, scheme, rules } of views) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    if (!name.endsWith("loading")) await page.waitForFunction(() => !document.querySelector("main .skeleton"));
    await look(page, `${name}-${scheme}-${width}`, rules);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
}

/** Opens a dialog, fills it in, and leaves it by its button: the focus returns to what opened it. */
export async function cancels(page, opener, title, fill) {
  await opener.click();
  const dialog = page.getByRole("dialog", { name: title });
  await fill(dialog);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.ok(await opener.evaluate((e) => e === document.activeElement), title);
}

/** Asks the API, as a program would. */
export async function ask(method, at, body, key = adminKey) {
  const answer = await fetch(base + at, {
    method, body: body instanceof FormData || body === undefined ? body : JSON.stringify(body),
    headers: { Authorization: `Bearer ${key}`, ...(body instanceof FormData || body === undefined ? {} : { "Content-Type": "application/json" }) },
  });
  assert.ok(answer.ok, `${method} ${at}: ${answer.status}`);
  return answer.status === 204 ? undefined : answer.json();
}

/** An assistant with documents that can be found. */
export async function assistant(name, documents) {
  const made = await ask("POST", "/v1.0/assistants", { name, settings: { enable_rag: true, enable_citations: true, citation_link_mode: "Authenticated", upstream: "builtin:extractive" } });
  for (const [file, text] of Object.entries(documents)) {
    const form = new FormData();
    form.append("file", new Blob([text]), file);
    await ask("POST", `/v1.0/assistants/${made.slug}/documents`, form);
  }
  for (;;) {
    const { data } = await ask("GET", `/v1.0/assistants/${made.slug}/documents`);
    if (data.every((d) => d.status === "ready" || d.status === "failed")) return made;
  }
}
