// Stored conversations: read, filtered, checked again, deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, assistant, browser, look, lookAround, visit } from "./browser.mjs";
import { failing, hostile, remembering } from "./records.mjs";

after(() => browser.close());
let slug, silent, fresh;
before(async () => {
  slug = await remembering("Records");
  silent = (await assistant("Silent", {})).slug;
  fresh = (await assistant("Fresh", {})).slug;
  await ask("PATCH", `/v1.0/assistants/${fresh}/settings`, { store_history: true });
});

test("history, each state, light and dark, narrow and wide", async (t) => {
  const page = await visit(t, { at: `/a/${slug}/history`, expected: ["500", "ERR_FAILED"] });
  const shows = async (at, state, ready) => {
    await page.goto(new URL(at, page.url()).href);
    await ready();
    await lookAround(page, `history-${state}`);
  };
  await page.getByRole("link", { name: /How much honey/ }).waitFor();
  await lookAround(page, "history-list");
  await page.getByRole("link", { name: /How much honey/ }).click();
  await page.locator(".stored .cards").nth(1).waitFor();
  await lookAround(page, "history-conversation");
  await page.locator(".stored .badge").first().click();
  await page.locator(".viewer mark").waitFor();
  await lookAround(page, "history-viewer");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Verify all" }).first().click();
  await page.getByText("Claim 1 of").waitFor();
  assert.equal(await page.getByRole("tooltip").count(), 0, "a tip covers the passage");
  await lookAround(page, "history-verify");
  await shows(`/a/${slug}/history?rating=down`, "rated", () => page.getByText("Not what I asked").waitFor());
  await page.getByRole("link", { name: /How long is the river/ }).click();
  await page.locator(".said").waitFor();
  await lookAround(page, "history-feedback");
  await shows(`/a/${silent}/history`, "off", () => page.getByText("Conversations are not stored").waitFor());
  await shows(`/a/${fresh}/history`, "empty", () => page.getByText("No conversation yet").waitFor());
  await shows(`/a/${fresh}/history?rating=up`, "none-rated", () => page.getByText("No answer was rated so").waitFor());
  await shows(`/a/${slug}/history?thread=nothing`, "gone", () => page.getByText("There is nothing here").waitFor());
  await failing(page, `/a/${slug}/history`, "history");
});

test("a conversation is found by its feedback, checked again and deleted, by keyboard", async (t) => {
  const own = await remembering("Kept records");
  const page = await visit(t, { at: `/a/${own}/history` });
  await page.getByRole("link", { name: /How much honey/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 of 1 cited sources confirmed").or(page.getByText("People confirmed every cited source")).first().waitFor();
  await page.getByText("does not say so: 1").waitFor();
  await page.locator(".stored .badge").first().focus();
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".viewer mark").textContent(), /twenty kilograms/);
  await page.keyboard.press("Escape");
  await page.locator(".viewer").waitFor({ state: "detached" });

  await page.getByLabel("Filter by feedback").selectOption("Rated not helpful");
  await page.getByText("Not what I asked").waitFor();
  assert.match(page.url(), /rating=down/);
  assert.equal(await page.locator(".list li").count(), 1);
  await page.getByRole("link", { name: /How long is the river/ }).click();
  assert.ok((await page.locator(".said").textContent()).includes(hostile));
  assert.equal(await page.locator("main").evaluate((m) => m.querySelectorAll("img, script, [onerror], a[href^='javascript']").length), 0, "text became elements");
  await page.goBack();
  await page.goBack();

  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000); // the ten seconds pass when the test says so
  await page.getByLabel("Filter by feedback").selectOption("All conversations");
  await page.getByRole("link", { name: /How much honey/ }).click();
  await page.getByRole("button", { name: "Delete conversation" }).click();
  await page.getByRole("link", { name: /How much honey/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: /How much honey/ }).click();
  await page.getByRole("button", { name: "Delete conversation" }).click();
  assert.equal((await ask("GET", `/v1.0/assistants/${own}/threads`)).data.length, 2); // not before the ten seconds are over
  const gone = page.waitForResponse((r) => r.request().method() === "DELETE");
  await page.clock.fastForward(10_500);
  assert.ok((await gone).ok());
  assert.deepEqual((await ask("GET", `/v1.0/assistants/${own}/threads`)).data.map((x) => x.id), [`${own}-elbe`]);
});

test("history is not for a key that may only chat", async (t) => {
  const { key } = await ask("POST", "/v1.0/keys", { name: "reader", scopes: ["chat"], assistants: [slug] });
  const page = await visit(t, { key, at: `/a/${slug}/history`, expected: ["403"] });
  await page.getByText("Your key may not see this").waitFor();
  await look(page, "history-forbidden-light-1280");
});
