// Uploads over a lost connection, over a reload, and before a second tab.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ask, assistant, base, browser, look, visit } from "./browser.mjs";

after(() => browser.close());
const file = (name) => ({ name, mimeType: "text/markdown", buffer: Buffer.from(`# ${name}\n\nThis is the text of ${name}.\n`) });

test("an upload waits for the connection and goes on, and makes one document", async (t) => {
  const { slug } = await assistant("Cut off", {});
  const page = await visit(t, { at: `/a/${slug}/documents`, expected: ["ERR_"] });
  await page.getByText("No documents yet").waitFor();
  let lost = 0;
  await page.route("**/v1.0/assistants/*/documents", async (route) => {
    if (route.request().method() !== "POST" || lost++ > 0) return route.continue();
    await route.fetch(); // the server has it, but its answer is lost with the connection
    await page.context().setOffline(true);
    return route.abort();
  });
  await page.locator("input[type=file]").setInputFiles([file("first.md"), file("second.md")]);
  await page.getByText(/first\.md\W waits for the connection/).waitFor();
  await page.getByText("The connection to the server is lost").waitFor();
  await look(page, "documents-lost-light-1280");
  await page.context().setOffline(false);
  await page.locator("tbody .state", { hasText: "ready" }).nth(1).waitFor();
  await page.getByText("The connection to the server is lost").waitFor({ state: "detached" });
  assert.deepEqual((await ask("GET", `/v1.0/assistants/${slug}/documents?sort=name`)).data.map((d) => d.name), ["first.md", "second.md"]);
  assert.equal(await page.getByText("is there already").count(), 0, "the second attempt is the same upload");
});

test("a reload says which uploads it interrupted; a second tab does not", async (t) => {
  const { slug } = await assistant("Reloaded", {});
  const page = await visit(t, { at: `/a/${slug}/documents`, expected: ["ERR_"] });
  await page.getByText("No documents yet").waitFor();
  await page.route("**/v1.0/assistants/*/documents", (route) => (route.request().method() === "POST" ? undefined : route.continue()));
  await page.locator("input[type=file]").setInputFiles([file("held.md"), file("next.md")]);
  await page.getByText(/Uploading \Wheld\.md/).waitFor();
  await page.context().addInitScript(() => { new BroadcastChannel("footnote.uploads").onmessage = (e) => { if (e.data.has) globalThis.heard = true; }; });
  await page.context().clock.install();
  await page.context().clock.pauseAt(Date.now() + 60_000); // the second tab waits until it has heard the first, however slow the machine is
  const [second] = await Promise.all([page.waitForEvent("popup"), page.evaluate(() => { window.open(location.href); })]); // with a copy of what this tab remembers
  await second.getByText("No documents yet").waitFor();
  assert.ok(await second.evaluate(() => sessionStorage.getItem("footnote.key")));
  await second.waitForFunction(() => globalThis.heard); // the first tab has said so
  await second.clock.fastForward(5000); // and no other tab is waited for
  assert.equal(await second.getByText("interrupted by leaving").count(), 0, "they are still running in the first tab");
  await page.context().clock.resume();
  await page.reload();
  await page.getByText("2 uploads were interrupted").waitFor();
  await look(page, "documents-interrupted-light-1280");
});

test("two tabs show the same documents", async (t) => {
  const { slug } = await assistant("Two tabs", { "old.md": "An old text." });
  const page = await visit(t, { at: `/a/${slug}/documents` });
  const second = await page.context().newPage();
  await second.goto(`${base}/a/${slug}/documents#key=${process.env.API_KEY}`);
  for (const tab of [page, second]) await tab.getByRole("button", { name: "old.md" }).waitFor();
  await page.locator("input[type=file]").setInputFiles([file("new.md")]);
  await second.getByRole("button", { name: "new.md" }).waitFor();
  const { data } = await ask("GET", `/v1.0/assistants/${slug}/documents?q=old`);
  await ask("DELETE", `/v1.0/documents/${data[0].id}`);
  for (const tab of [page, second]) await tab.getByRole("button", { name: "old.md" }).waitFor({ state: "detached" });
});
