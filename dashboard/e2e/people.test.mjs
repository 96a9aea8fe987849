// The people of the dashboard reach what they came for.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, test } from "node:test";
import { adminKey, ask, assistant, base, browser, cancels, lookAround, visit } from "./browser.mjs";

after(() => browser.close());
const marked = (canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let n = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] > 200 && data[i + 2] < 160) n++;
  return n;
};

test("someone who just started the program gets an answer and checks it, by keyboard alone", async (t) => {
  const page = await visit(t, { at: "/welcome" });
  await page.getByRole("button", { name: "Ask this" }).waitFor();
  assert.equal(new URL(page.url()).hash, ""); // the key is out of the address
  const press = async (name) => {
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((x) => (document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "").trim().startsWith(x), name)) return page.keyboard.press("Enter");
    }
    throw new Error(`Tab does not reach ${name}`);
  };
  await press("Ask this");
  await page.locator(".cards").waitFor();
  await press("Source 1, supported");
  await page.locator("canvas").waitFor();
  assert.ok((await page.locator("canvas").evaluate(marked)) > 500, "the passage is marked on the page");
  await page.keyboard.press("v");
  await page.getByText("0 of 1 verified").waitFor();
  await page.locator("body").evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("Space");
  await page.getByText("1 of 1 verified").waitFor();
});

test("a reader with a key that may only chat asks and reads the passage", async (t) => {
  const { key } = await ask("POST", "/v1.0/keys", { name: "reader", scopes: ["chat"], assistants: ["handbook"] });
  const page = await visit(t, { key, at: "/a/handbook/chat", expected: ["403"] });
  await page.getByLabel("Ask about your documents").fill("How many vacation days do I get?");
  await page.keyboard.press("Enter");
  await page.locator(".answer .badge").first().click();
  await page.locator("canvas").waitFor();
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await page.locator("mark").waitFor();
  assert.match(await page.locator("mark").textContent(), /27 vacation days/);
  assert.equal(await page.getByRole("link", { name: "Settings" }).count(), 0);
  assert.equal(await page.getByRole("link", { name: "Search" }).count(), 0, "what its key may not do is not offered");
  await page.getByRole("link", { name: "Connect" }).click();
  await page.getByText("Use the key that you signed in with").waitFor();
  await page.goto(`${base}/a/handbook/documents`);
  await page.getByText("Your key may not see this").waitFor();
  assert.equal(await page.getByRole("button", { name: "Upload" }).count(), 0);
});

test("an address that names nothing says so, and the palette finds every screen", async (t) => {
  const page = await visit(t, { at: "/a/%E0%A4/chat" });
  await page.getByRole("heading", { name: "There is nothing here" }).first().waitFor();
  for (const name of ["Keys", "Audit", "Status", "Model servers", "First steps"]) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find a passage" }).fill(name.toLowerCase());
    await page.getByRole("option", { name }).first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" }); // before that its key would close it
  }
});

test("an assistant that is not wanted after all is not made", async (t) => {
  const page = await visit(t, { at: "/" });
  const opener = page.getByRole("button", { name: "New assistant" });
  const name = (dialog) => dialog.getByLabel("Name");
  await cancels(page, opener, "New assistant", (dialog) => name(dialog).fill("Unwanted"));
  await opener.click();
  assert.equal(await name(page.getByRole("dialog")).inputValue(), "");
  await lookAround(page, "assistants-new");
  assert.ok((await ask("GET", "/v1.0/assistants")).data.every((a) => a.name !== "Unwanted"));
});

test("an assistant that searches nothing says so before it is asked", async (t) => {
  const { slug } = await ask("POST", "/v1.0/assistants", { name: "Bookless" });
  const page = await visit(t, { at: "/" });
  const card = page.getByRole("listitem").filter({ hasText: "Bookless" });
  await card.getByText("It searches no documents").waitFor();
  assert.doesNotMatch(await card.innerText(), /Hybrid|Citations/);
  await card.getByRole("link", { name: "Chat" }).click();
  await page.getByText("It searches no documents").waitFor();
  await page.getByRole("textbox").fill("How much honey?");
  await page.keyboard.press("Enter");
  await page.getByText("the built-in answerer can only quote them").waitFor();
  await lookAround(page, "chat-unsearched");
  await ask("DELETE", `/v1.0/assistants/${slug}`);
});

test("the admin brings a document, labels it, changes a setting and deletes with undo", async (t) => {
  const { slug } = await ask("POST", "/v1.0/assistants", { name: "Bees", settings: { enable_rag: true, enable_citations: true } });
  const page = await visit(t, { at: `/a/${slug}/documents`, expected: ["400"] });
  await page.getByText("No documents yet").waitFor();
  await page.locator("input[type=file]").setInputFiles([{ name: "bees.md", mimeType: "text/markdown", buffer: Buffer.from("# Bees\n\nA colony needs twenty kilograms of honey for the winter.\n") }]);
  await page.locator("tbody .state", { hasText: "ready" }).waitFor();
  await page.getByLabel("bees.md").check();
  await page.getByRole("button", { name: "Set labels" }).click();
  await page.getByLabel("Labels, separated").fill("nature, winter");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "winter" }).waitFor();
  await page.getByRole("button", { name: "bees.md" }).click();
  await page.getByText("What the model sees").waitFor();
  await page.getByText("twenty kilograms").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "bees.md" }).waitFor();

  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("Find a setting").fill("retrieval_top_k");
  await page.getByLabel("retrieval_top_k").fill("99");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Save 1 change" }).click();
  await page.getByRole("alert").waitFor(); // 50 is the most: the server's sentence stands beside the field
  await page.getByLabel("retrieval_top_k").fill("7");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Save 1 change" }).click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  assert.equal((await ask("GET", `/v1.0/assistants/${slug}/settings`)).retrieval_top_k, 7);
});

test("the integrator gets a snippet that works, and sees what went over the wire", async (t) => {
  const page = await visit(t, { at: "/a/handbook/connect" });
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.locator(".key").waitFor();
  const curl = (await page.locator("pre").textContent()).replace("What do the documents say?", "How many vacation days do I get?");
  const answer = JSON.parse(execFileSync("sh", ["-c", curl.replace("curl ", "curl -s ")], { encoding: "utf8" }));
  assert.deepEqual(answer.citations.referenced_indices, [1]);
  await page.goto(`${base}/a/handbook/chat?q=How+many+vacation+days+do+I+get%3F`);
  await page.locator(".cards").waitFor();
  assert.ok(!page.url().includes("?q="));
  await page.keyboard.press("i");
  await page.getByText("Sources with their scores").waitFor();
  assert.ok((await page.locator(".frames li").count()) > 2);
});

test("a key that ends is asked for, and the work goes on", async (t) => {
  const page = await visit(t, { key: "", at: "/a/handbook/documents", expected: ["401"] });
  await page.getByLabel("Key", { exact: true }).fill("fn-wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("does not know this key").waitFor();
  await page.getByLabel("Key", { exact: true }).fill(adminKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "employee-handbook.pdf" }).waitFor();
});

test("a stream that is cut says so and keeps what has arrived", async (t) => {
  const page = await visit(t, { at: "/a/handbook/chat" });
  const head = 'data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Half an answer"},"finish_reason":null}]}\n\n';
  await page.route("**/v1/chat/completions", (route) => route.fulfill({ status: 200, contentType: "text/event-stream", body: head }));
  await page.getByLabel("Ask about your documents").fill("Anything?");
  await page.keyboard.press("Enter");
  await page.getByText("The answer ended early").waitFor();
  assert.match(await page.locator(".answer").textContent(), /Half an answer/);
  await page.unroute("**/v1/chat/completions");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("sources cited").or(page.getByText("No passage")).first().waitFor();
});

test("of many documents only those in sight are drawn, and all are reached", async (t) => {
  const { slug } = await assistant("Many", Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`note-${String(i).padStart(3, "0")}.txt`, `Note ${i} is about thing ${i}.`])));
  const page = await visit(t, { at: `/a/${slug}/documents?sort=name` });
  await page.getByRole("button", { name: "note-000.txt" }).waitFor();
  assert.ok((await page.locator("tbody tr").count()) < 60);
  await page.locator(".box").evaluate((box) => { box.scrollTop = box.scrollHeight; });
  await page.getByRole("button", { name: "note-059.txt" }).waitFor();
});

test("on plain http, where browsers keep back ids and the clipboard, chats and copies work", async (t) => {
  const page = await visit(t, { at: "/a/handbook/connect" });
  await page.addInitScript(() => {
    delete Crypto.prototype.randomUUID;
    delete Navigator.prototype.clipboard;
  });
  await page.goto(`${base}/a/handbook/chat?q=How+many+vacation+days+do+I+get%3F`);
  await page.locator(".cards").waitFor();
  assert.equal(await page.evaluate(() => typeof crypto.randomUUID + typeof navigator.clipboard), "undefinedundefined");
  await page.getByRole("button", { name: /^Copy citation/ }).first().click();
  await page.getByText("Copied").waitFor();
  await page.locator("textarea").fill("");
  await page.locator("textarea").press("Control+v");
  assert.match(await page.locator("textarea").inputValue(), /27 vacation days/);
});
