// Each screen, light and dark, narrow and wide, in its states: no violation of axe, a
// picture of each, no request to elsewhere, nothing that the page's policy refuses.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ask, browser, look, views, visit } from "./browser.mjs";

after(() => browser.close());
const question = "How many vacation days do I get?";
const screens = {
  assistants: ["/", (p) => p.locator("main li").first().waitFor()],
  welcome: ["/welcome", (p) => p.getByRole("button", { name: "Ask this" }).waitFor()],
  "chat-empty": ["/a/handbook/chat", (p) => p.getByText("Ask the first question").waitFor()],
  "chat-answer": [`/a/handbook/chat?q=${encodeURIComponent(question)}`, (p) => p.locator(".cards").waitFor()],
  "chat-viewer": [`/a/handbook/chat?q=${encodeURIComponent(question)}`, async (p) => {
    await p.locator(".cards").waitFor();
    await p.locator(".answer .badge").first().click();
    await p.locator("canvas").waitFor();
  }],
  "chat-verify": [`/a/handbook/chat?q=${encodeURIComponent(question)}`, async (p) => {
    await p.locator(".cards").waitFor();
    await p.getByRole("button", { name: "Verify all" }).click();
    await p.locator("canvas").waitFor();
    assert.equal(await p.getByRole("tooltip").count(), 0, "a tip covers the passage");
  }],
  "chat-inspector": [`/a/handbook/chat?q=${encodeURIComponent(question)}`, async (p) => {
    await p.locator(".cards").waitFor();
    await p.getByRole("button", { name: "Inspector" }).click();
    await p.getByText("Sources with their scores").waitFor();
  }],
  documents: ["/a/handbook/documents", (p) => p.getByRole("button", { name: "employee-handbook.pdf" }).waitFor()],
  "documents-selected": ["/a/handbook/documents", (p) => p.getByLabel("employee-handbook.pdf").check()],
  "documents-none-fits": ["/a/handbook/documents?q=nothing-like-it", (p) => p.getByText("No document fits").waitFor()],
  document: ["/a/handbook/documents", async (p) => {
    await p.getByRole("button", { name: "employee-handbook.pdf" }).click();
    await p.getByText("Tarnwick Instruments builds").first().waitFor();
  }],
  settings: ["/a/handbook/settings", (p) => p.getByLabel("system_prompt").waitFor()],
  "settings-changed": ["/a/handbook/settings?find=top_k", async (p) => {
    await p.getByLabel("retrieval_top_k").fill("3");
    await p.keyboard.press("Tab");
    await p.getByRole("button", { name: "Save 1 change" }).waitFor();
  }],
  connect: ["/a/handbook/connect", (p) => p.getByRole("button", { name: "Make a key" }).waitFor()],
  nothing: ["/a/nobody/chat", (p) => p.getByRole("heading", { name: "There is nothing here" }).waitFor()],
};

for (const { width, scheme, rules } of views) {
  test(`screens, ${scheme}, ${width} px`, async (t) => {
    const page = await visit(t, { width, scheme });
    for (const [name, [at, ready]] of Object.entries(screens)) {
      await page.evaluate(() => { for (const k of Object.keys(sessionStorage)) if (k.startsWith("footnote.chat")) sessionStorage.removeItem(k); });
      await page.goto(new URL(at, page.url()).href);
      await ready(page);
      await look(page, `${name}-${scheme}-${width}`, rules);
      // What is not saved would be asked about before the page is left.
      for (const discard of await page.getByRole("button", { name: "Discard" }).all()) await discard.click();
    }
  });

  test(`states, ${scheme}, ${width} px`, async (t) => {
    const page = await visit(t, { width, scheme, expected: ["500", "ERR_FAILED", "401", "403"] });
    await page.locator("main li").first().waitFor();
    for (const at of ["/", "/a/handbook/documents", "/a/handbook/settings"]) {
      const name = at.split("/").pop() || "assistants";
      await page.route("**/v1.0/**", (route) => route.fulfill({ status: 500, contentType: "application/json", body: '{"error":{"message":"The server failed.","type":"server_error","param":null,"code":"internal_error"}}' }));
      await page.goto(new URL(at, page.url()).href);
      await page.getByText("This did not work").waitFor();
      await look(page, `${name}-error-${scheme}-${width}`, rules);
      await page.unroute("**/v1.0/**");
      await page.route("**/v1.0/**", (route) => route.abort());
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("The server does not answer").waitFor();
      await look(page, `${name}-unreachable-${scheme}-${width}`, rules);
      await page.unroute("**/v1.0/**");
      const held = [];
      await page.route("**/v1.0/**", (route) => { held.push(route); });
      await page.goto(new URL(at, page.url()).href);
      await page.locator(".skeleton i").first().waitFor();
      await look(page, `${name}-loading-${scheme}-${width}`, rules);
      await page.unroute("**/v1.0/**");
      await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
    }
    await page.evaluate(() => { sessionStorage.clear(); });
    await page.goto(new URL("/", page.url()).href);
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    await look(page, `sign-in-${scheme}-${width}`, rules);
  });
}

test("a key without the scope admin is told so", async (t) => {
  const { key } = await ask("POST", "/v1.0/keys", { name: "search only", scopes: ["search"] });
  const page = await visit(t, { key, expected: ["403"] });
  await page.getByText("Your key may not see this").waitFor();
  await look(page, "forbidden-light-1280");
});
