// Answers are checked: what people say of them is kept as they said it, the address holds
// what they look at, and an answer that is not whole or cites nothing that exists says so.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { adminKey, ask, browser, lookAround, visit } from "./browser.mjs";
import { scripted } from "./model.mjs";

after(() => browser.close());
const documents = {
  "honey.md": "# Honey\n\nA colony needs twenty kilograms of honey for the winter.\n",
  "swarms.md": "# Swarms\n\nA swarm of bees leaves the hive in May, when the colony has two queens and much honey.\n",
  "winter.md": "# Winter\n\nIn the winter the bees of a colony keep warm and eat the honey of the summer.\n",
};
const question = "How much honey does a colony of bees need for the winter?";

async function put(page, text = question) {
  await page.getByLabel("Ask about your documents").fill(text);
  await page.keyboard.press("Enter");
}

test("a source that is rejected once is not confirmed by what follows", async (t) => {
  const { slug, model } = await scripted(t, "Judged", documents);
  model.says = "A colony **needs honey [1]. Bees eat** it in winter [1]. A swarm leaves in May [2]. It needs *twenty kilograms* [1]. Two queens are in the colony [2]. Bees keep warm in winter [3].";
  const page = await visit(t, { at: `/a/${slug}/chat` });
  await put(page);
  await page.locator(".cards").waitFor();
  await page.getByRole("button", { name: "Verify all" }).click();
  await page.getByText("Claim 1 of 6").waitFor();
  const panel = page.locator(".verify");
  assert.equal(await panel.locator("p").first().textContent(), "A colony needs honey.");
  for (let n = 0; n < 3; n++) await panel.getByRole("button", { name: "Does not say so" }).click();
  for (let n = 0; n < 3; n++) await panel.getByRole("button", { name: /^✓? ?Verified/ }).click();
  await page.getByText("3 of 6 verified, 3 do not say so").waitFor();
  for (let n = 0; n < 5; n++) await page.keyboard.press("k");
  await page.getByText("Claim 1 of 6").waitFor();
  assert.equal(await panel.getByRole("button", { name: "Does not say so" }).getAttribute("aria-pressed"), "true");
  assert.match(await page.locator(".answer .badge").first().getAttribute("aria-label"), /does not say so$/i);
  await lookAround(page, "chat-rejected");
  const [stored] = (await ask("GET", `/v1.0/assistants/${slug}/history`)).data;
  assert.deepEqual(Object.fromEntries(stored.verifications.map((v) => [v.source, v.result])), { 1: "rejected", 2: "rejected", 3: "confirmed" });
  assert.equal(stored.verified, false);

  await page.reload();
  await page.getByText("3 of 6 verified, 3 do not say so").or(page.getByRole("button", { name: "Verify all" })).first().waitFor();
  await page.getByRole("button", { name: "Verify all" }).click();
  await page.getByText("3 of 6 verified, 3 do not say so").waitFor();
  // A rejection that is taken back is taken back on the server.
  for (let n = 0; n < 6; n++) await panel.getByRole("button", { name: /^✓? ?Verified/ }).click();
  await page.getByText("6 of 6 verified").waitFor();
  await page.goto(new URL(`/a/${slug}/history?thread=${encodeURIComponent(stored.thread_id)}`, page.url()).href);
  await page.getByText("People confirmed every cited source").waitFor();
});

test("the address holds what is looked at, Back closes it, and the focus returns", async (t) => {
  const page = await visit(t, { at: "/a/handbook/chat?q=How+many+vacation+days+do+I+get%3F", width: 360 });
  await page.locator(".cards").waitFor();
  const badge = page.locator(".answer .badge").first();
  await badge.hover();
  await page.getByRole("tooltip").waitFor();
  await page.mouse.move(300, 700);
  await page.getByRole("tooltip").waitFor({ state: "detached" });
  await badge.click();
  await page.locator(".viewer").waitFor();
  assert.match(page.url(), /\/a\/handbook\/chat\?document=doc_\w+&name=employee-handbook.pdf&page=\d+&highlight=\d+-\d+/);
  await page.reload();
  await page.locator(".viewer canvas[aria-label]").waitFor();
  await page.goBack();
  await page.locator(".viewer").waitFor({ state: "detached" });
  assert.match(page.url(), /\/a\/handbook\/chat$/);
  await badge.click();
  await page.getByRole("button", { name: "Close the document" }).click();
  await page.locator(".viewer").waitFor({ state: "detached" });
  assert.ok(await badge.evaluate((b) => b === document.activeElement), "the focus is where it was");
  await page.keyboard.press("v");
  await page.getByText("Claim 1 of").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".viewer").waitFor({ state: "detached" });

  const menu = page.getByRole("button", { name: "Menu" });
  await menu.click();
  await page.keyboard.press("Escape");
  assert.equal(await menu.getAttribute("aria-expanded"), "false");
  assert.ok(await menu.evaluate((b) => b === document.activeElement));
  await menu.click();
  await page.mouse.click(340, 400);
  assert.equal(await menu.getAttribute("aria-expanded"), "false");
});

test("an answer that was stopped or cut off says so, also after a reload, and its badges lead to their sources", async (t) => {
  const { slug, model } = await scripted(t, "Stopped", documents);
  model.says = "A colony needs twenty kilograms [1]. And then it ";
  model.holds = true;
  const page = await visit(t, { at: `/a/${slug}/chat` });
  await put(page);
  await page.locator(".answer .badge").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("You stopped this answer").waitFor();
  assert.equal(await page.getByText("The answer is complete").count(), 0);
  await page.locator(".answer .badge").click();
  await page.locator(".viewer mark").waitFor();
  await page.keyboard.press("Escape");
  await lookAround(page, "chat-stopped");
  await page.reload();
  await page.getByText("You stopped this answer").waitFor();
  await page.locator(".answer .badge").waitFor();

  await put(page, "And in the summer?");
  await page.locator(".turn").nth(1).locator(".answer .badge").waitFor();
  await page.reload();
  await page.getByText("The answer ended early").waitFor();
  assert.ok(!(await page.locator(".turn").nth(1).locator(".answer").textContent()).includes("[1]"), "the marker is a badge");
});

test("a number that is no source's is shown as such", async (t) => {
  const { slug, model } = await scripted(t, "Inventing", {});
  model.says = "You get 30 days a year [1]. They must be taken by March [2].";
  const page = await visit(t, { at: `/a/${slug}/chat` });
  await put(page, "How many vacation days do I get?");
  await page.getByText("No passage of the documents fits the question.").waitFor();
  const badge = page.getByRole("button", { name: "There is no source 1." });
  await badge.focus();
  await page.getByRole("tooltip").getByText("The model made this number up").waitFor();
  await page.keyboard.press("Shift+Tab");
  assert.equal(await page.getByText("The model made this number up").count(), 0, "the tip goes with the focus");
  assert.equal(await page.getByRole("button", { name: "Verify all" }).count(), 0);
  await page.getByRole("button", { name: "2 numbers without a source" }).focus();
  await page.getByRole("tooltip").getByText("sources that it was not given").waitFor();
  await lookAround(page, "chat-invented");
});

test("each part of the line under an answer explains itself, and sentences without a source are underlined on demand", async (t) => {
  const { slug, model } = await scripted(t, "Honest", documents);
  model.says = "A colony of bees needs twenty kilograms of honey for the winter [3]. **The queen** wears a crown of gold. Bees keep warm [1].";
  const page = await visit(t, { at: `/a/${slug}/chat` });
  await put(page);
  const parts = page.locator(".honest .part");
  await parts.first().waitFor();
  for (const part of await parts.all()) {
    await part.focus();
    assert.ok(((await page.getByRole("tooltip").textContent()) ?? "").length > 20, await part.textContent());
  }
  const coverage = page.getByRole("button", { name: /of the factual sentences carry a source/ });
  await coverage.focus();
  await page.keyboard.press("Enter");
  assert.equal((await page.locator(".answer .underlined").allTextContents()).join(""), "The queen wears a crown of gold");
  await lookAround(page, "chat-uncited");
  await page.reload();
  await coverage.click();
  await page.locator(".answer .underlined").first().waitFor();
  await coverage.click();
  assert.equal(await page.locator(".answer .underlined").count(), 0);
});

test("asking again and editing lose nothing that was not to be replaced", async (t) => {
  const { slug, model } = await scripted(t, "Edited", documents);
  model.says = "A colony needs honey [1].";
  const page = await visit(t, { at: `/a/${slug}/chat` });
  const turns = page.locator(".turn");
  await put(page);
  await turns.locator(".cards").waitFor();
  assert.equal(await page.getByRole("button", { name: "Ask again" }).count(), 1);
  await put(page, "And in the summer?");
  await turns.nth(1).locator(".cards").waitFor();
  assert.equal(await page.getByRole("button", { name: "Ask again" }).count(), 1, "only the last answer can be asked anew");
  await turns.nth(1).locator(".answer .badge").click();
  await page.locator(".viewer").waitFor();
  await page.getByRole("button", { name: "Edit question" }).click();
  assert.equal(await page.getByLabel("Ask about your documents").inputValue(), "And in the summer?");
  assert.equal(await turns.count(), 2, "nothing is gone before the question is sent");
  await lookAround(page, "chat-editing");
  await page.getByRole("button", { name: "Keep them" }).click();
  assert.equal(await turns.count(), 2);
  await page.getByRole("button", { name: "Edit question" }).click();
  model.says = "Bees eat it in winter [2].";
  await put(page, "And in the autumn?");
  await turns.nth(1).getByText("Bees eat it").waitFor();
  assert.equal(await turns.count(), 2);
  assert.equal(await page.getByText("And in the summer?").count(), 0);
  await page.locator(".viewer").waitFor({ state: "detached" });
});

test("unsaved settings survive a look at another screen and a reload, and end with the key", async (t) => {
  const { slug } = await ask("POST", "/v1.0/assistants", { name: "Drafts" });
  const page = await visit(t, { at: `/a/${slug}/settings?find=retrieval_top_k` });
  await page.getByLabel("retrieval_top_k").fill("7");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Save 1 change" }).waitFor();
  await page.getByRole("link", { name: "Documents" }).click();
  await page.getByText("No documents yet").waitFor();
  await page.getByRole("link", { name: "Settings (unsaved changes)" }).click();
  await page.getByRole("button", { name: "Save 1 change" }).waitFor();
  await lookAround(page, "settings-draft");
  await page.getByRole("link", { name: "Connect" }).click();
  await page.getByRole("button", { name: "Make a key" }).waitFor();
  await page.reload();
  await page.getByRole("link", { name: "Settings (unsaved changes)" }).click();
  await page.getByLabel("Find a setting").fill("retrieval_top_k");
  assert.equal(await page.getByLabel("retrieval_top_k").inputValue(), "7");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("link", { name: "Settings", exact: true }).waitFor();
});

test("what a person left in the tab ends with the key", async (t) => {
  const mine = "How many vacation days do I get?";
  const page = await visit(t, { at: "/a/handbook/chat", expected: ["401", "403"] });
  const left = () => page.evaluate(() => Object.keys(sessionStorage).filter((name) => name !== "footnote.key"));
  const signIn = async (key) => {
    await page.getByLabel("Key", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await put(page, mine);
  await page.locator(".cards").waitFor();
  assert.deepEqual(await left(), ["footnote.chat.handbook"]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(adminKey);
  await page.getByRole("link", { name: "Chat", exact: true }).or(page.getByRole("link", { name: "handbook" })).first().waitFor();
  assert.deepEqual(await left(), []);

  // Two tabs share a key that is kept. One signs out: nothing stays in the other.
  await page.evaluate((key) => {
    sessionStorage.removeItem("footnote.key");
    localStorage.setItem("footnote.key", key);
  }, adminKey);
  await page.goto(new URL("/a/handbook/chat", page.url()).href);
  await put(page, mine);
  await page.locator(".cards").waitFor();
  const other = await page.context().newPage();
  await other.goto(new URL("/a/handbook/chat", page.url()).href);
  await other.getByRole("button", { name: "Sign out" }).click();
  await page.locator(".turn").waitFor({ state: "detached" });
  assert.deepEqual(await left(), []);
  await other.close();

  // A key that is revoked while somebody writes: another one answers the question, and sees nothing of what was before.
  const made = await ask("POST", "/v1.0/keys", { name: "leaver", scopes: ["chat"], assistants: ["handbook"] });
  await page.goto(new URL(`/a/handbook/chat#key=${made.key}`, page.url()).href);
  await page.reload();
  await put(page, mine);
  await page.locator(".cards").waitFor();
  await ask("DELETE", `/v1.0/keys/${made.id}`);
  await put(page, "When is payday?");
  await signIn(adminKey);
  await page.locator(".turn .honest").waitFor();
  assert.equal(await page.locator(".turn").count(), 1);
  assert.equal(await page.getByText(mine).count(), 0);
});
