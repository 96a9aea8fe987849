// What goes wrong with documents is said, labels come and go, and a deletion outlives the page.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ask, assistant, base, browser, cancels, lookAround, visit } from "./browser.mjs";

after(() => browser.close());
const named = (slug) => ask("GET", `/v1.0/assistants/${slug}/documents?sort=name`);

test("files that are refused stand in one list until they are read", async (t) => {
  const { slug } = await assistant("Refused", { "here.md": "It is here." });
  const page = await visit(t, { at: `/a/${slug}/documents`, expected: ["415", "400"] });
  await page.getByRole("button", { name: "here.md" }).waitFor();
  const bad = Array.from({ length: 12 }, (_, i) => ({ name: `picture-${i}.bin`, mimeType: "application/octet-stream", buffer: Buffer.from([0, 1, 2, i]) }));
  await page.locator("input[type=file]").setInputFiles([...bad, { name: "here.md", mimeType: "text/markdown", buffer: Buffer.from("It is here.") }]);
  await page.getByText("13 files were not added").waitFor();
  assert.equal(await page.locator(".toast").count(), 0);
  assert.equal(await page.locator(".refused dt").count(), 13);
  for (const text of await page.locator(".refused dd").allInnerTexts()) assert.match(text, /\S/);
  await lookAround(page, "documents-refused");
  await page.locator(".refused").getByRole("button", { name: "Close" }).click();
  assert.equal(await page.locator(".refused").count(), 0);
});

// A PDF of two pages, the second of which the file has lost.
function torn() {
  const text = "BT /F1 14 Tf 72 760 Td (Bees rest in winter.) Tj ET";
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[4 0 R 5 0 R]/Count 2>>", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents 6 0 R>>", "null", `<</Length ${text.length}>>\nstream\n${text}\nendstream`,
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const place = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  return `${file}xref\n0 7\n0000000000 65535 f \n${places.join("")}trailer<</Size 7/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
}

test("the list says why a document could not be read, and what of it is missing", async (t) => {
  const { slug } = await assistant("Causes", { "broken.pdf": "%PDF-1.7 rubbish", "torn.pdf": torn(), "whole.md": "Bees make honey." });
  const [broken, half, whole] = (await named(slug)).data;
  assert.deepEqual([broken.error.code, half.error.code, half.status, whole.error], ["document_unreadable", "pages_unreadable", "ready", undefined]);
  const page = await visit(t, { at: `/a/${slug}/documents?sort=name` });
  const row = (name) => page.getByRole("row").filter({ has: page.getByRole("button", { name, exact: true }) });
  for (const d of [broken, half]) {
    const cause = row(d.name).getByRole("cell").getByText(d.error.message);
    await cause.waitFor();
    assert.equal(await cause.getAttribute("title"), d.error.message);
  }
  assert.equal(await row(whole.name).locator("[title]", { hasText: /not be read|not valid/ }).count(), 0);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const heights = await page.locator("tbody tr").evaluateAll((rows) => rows.map((r) => r.getBoundingClientRect().height));
    assert.equal(new Set(heights).size, 1, `all rows are equally high, ${width}: ${heights}`);
  }
  await lookAround(page, "documents-causes");
  await row(broken.name).getByRole("button").click();
  await page.getByRole("dialog").getByText("It could not be read, so nothing is known of it.").waitFor();
  await page.getByRole("dialog").getByText("No passages").waitFor();
  await lookAround(page, "document-failed");
  await page.keyboard.press("Escape");

  const form = new FormData();
  form.append("file", new Blob(["Bees sleep in winter."]), "broken.pdf");
  await ask("PUT", `/v1.0/documents/${broken.id}/file`, form);
  await row(broken.name).getByText(broken.error.message).waitFor({ state: "detached" });
  await row(broken.name).getByText("ready", { exact: true }).waitFor();
});

test("labels are added and removed, and what fails of many is counted", async (t) => {
  const { slug } = await assistant("Labelled", { "a.md": "Text of a.", "b.md": "Text of b." });
  const [a, b] = (await named(slug)).data;
  await ask("POST", `/v1.0/assistants/${slug}/documents/bulk`, { action: "label", documents: [a.id, b.id], add: ["both"] });
  await ask("POST", `/v1.0/assistants/${slug}/documents/bulk`, { action: "label", documents: [a.id], add: ["only a"] });
  const page = await visit(t, { at: `/a/${slug}/documents`, expected: ["ERR_"] });
  await page.getByLabel("Select all").check();
  await cancels(page, page.getByRole("button", { name: "Set labels" }), "Set labels", (dialog) => dialog.getByLabel("both").uncheck());
  for (const d of (await named(slug)).data) assert.ok(d.labels.includes("both"));
  await page.getByRole("button", { name: "Set labels" }).click();
  await page.getByText("1 of 2").waitFor();
  await lookAround(page, "documents-labels");
  await page.getByLabel("both").uncheck();
  await page.getByLabel("only a").check();
  await page.getByLabel("Labels, separated").fill("new");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "new", exact: true }).nth(1).waitFor();
  for (const d of (await named(slug)).data) assert.deepEqual(d.labels.toSorted(), ["new", "only a"]);

  await page.route("**/documents/bulk", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    body.data[0] = { id: body.data[0].id, status: 404, error: { message: "No such document.", type: "invalid_request_error", code: "not_found", param: null } };
    return route.fulfill({ response, json: body });
  });
  await page.getByLabel("Select all").check();
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByText("1 of 2 documents: this did not work. No such document.").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("a deletion happens also when the page is left before its ten seconds", async (t) => {
  const { slug } = await assistant("Left", { "stays.md": "It stays.", "goes.md": "It goes." });
  const page = await visit(t, { at: `/a/${slug}/documents` });
  await page.getByLabel("goes.md").check();
  await page.getByRole("region", { name: "1 document selected" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("will be deleted").waitFor();
  assert.equal((await named(slug)).data.length, 2);
  await page.goto("about:blank");
  const until = Date.now() + 30_000;
  while ((await named(slug)).data.length === 2 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual((await named(slug)).data.map((d) => d.name), ["stays.md"]);
});

test("all passages of a long document can be read, and numbers have their words", async (t) => {
  const text = Array.from({ length: 120 }, (_, i) => `# Part ${i}\n\n${`This is sentence ${i} of a long text about honey and bees. `.repeat(30)}`).join("\n\n");
  const name = `${"long ".repeat(40)}name.md`;
  const { slug } = await assistant("Long", { [name]: text, "one.md": "One passage." });
  const page = await visit(t, { at: `/a/${slug}/documents?sort=name` });
  await page.getByRole("button", { name: /^long long/ }).click();
  await page.getByText(/^50 of \d+ passages$/).waitFor();
  const total = Number(/of (\d+)/.exec(await page.getByText(/^50 of \d+ passages$/).innerText())[1]);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok(await page.locator("dialog[open]").evaluate((d) => d.scrollWidth <= d.clientWidth), `the panel is as wide as it is, ${width}`);
  }
  await lookAround(page, "document-long");
  for (let seen = 50; seen < total; seen = Math.min(total, seen + 50)) {
    await page.getByRole("button", { name: "Show more" }).last().click();
    await page.waitForFunction((n) => document.querySelectorAll("dialog[open] article").length >= n, Math.min(total, seen + 50));
  }
  assert.equal(await page.locator("dialog[open] article").count(), total);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /^long long/);
  await page.getByRole("button", { name: "one.md" }).click();
  await page.getByText(/ready · 1 passage ·/).waitFor();
});

test("a document says what it is, people correct it, and a source names its other places", async (t) => {
  const rule = "Travellers keep every receipt for seven years after they come home.";
  const { slug } = await assistant("Profiled", { "travel-policy-2023.md": `# Travel Policy\n\n${rule}`, "travel-policy-2024.md": `# Travel Policy\n\n${rule}\n` });
  const [old, current] = (await named(slug)).data;
  await ask("PATCH", `/v1.0/documents/${current.id}`, { supersedes: old.id });
  const page = await visit(t, { at: `/a/${slug}/documents?sort=name`, expected: ["400"] });
  await page.getByRole("button", { name: "travel-policy-2023.md" }).click();
  const profile = page.getByRole("region", { name: "What it is" });
  await profile.getByText("policy", { exact: true }).waitFor();
  await profile.getByText("2023", { exact: true }).waitFor();
  await profile.getByRole("link", { name: "A newer document replaces this one" }).waitFor();
  await lookAround(page, "document-profile");
  await profile.getByRole("button", { name: "Edit" }).click();
  await profile.getByLabel("Years").fill("2022; 2023");
  await lookAround(page, "document-profile-edit");
  await profile.getByRole("button", { name: "Save" }).click();
  await profile.getByText("Set by hand: Years").waitFor();
  assert.deepEqual((await ask("GET", `/v1.0/documents/${old.id}`)).profile.years, [2022, 2023]);
  await profile.getByRole("button", { name: "Edit" }).click();
  await profile.getByLabel("Years").fill("soon");
  await profile.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast.bad").hover();
  await profile.getByRole("button", { name: "Cancel" }).click();
  await profile.getByRole("button", { name: "Back to what was read" }).click();
  await profile.getByText("Set by hand").waitFor({ state: "detached" });
  assert.deepEqual((await ask("GET", `/v1.0/documents/${old.id}`)).profile.edited, []);

  await page.goto(`${base}/a/${slug}/chat`);
  await page.getByRole("textbox").fill("How long do travellers keep every receipt?");
  await page.keyboard.press("Enter");
  const card = page.locator(".card").first();
  await card.getByText("travel-policy-2024.md").waitFor();
  const other = card.getByRole("link", { name: /travel-policy-2023\.md/ });
  assert.equal(await other.getAttribute("href"), `/documents/${old.id}`);
  await lookAround(page, "source-also-in");
});

test("what a document replaces is chosen among the others, and a refusal is seen above the sheet", async (t) => {
  const { slug } = await assistant("Replaced", { "policy-2023.md": "# Policy\n\nKeep receipts for six years.", "policy-2024.md": "# Policy\n\nKeep receipts for seven years." });
  for (const hive of ["north", "south"]) {
    const form = new FormData();
    form.append("file", new Blob([`The bees of the ${hive} make honey.`]), "honey.md");
    form.append("source_path", `/${hive}/honey.md`);
    await ask("POST", `/v1.0/assistants/${slug}/documents`, form);
  }
  const [old, current] = (await named(slug)).data.filter((d) => d.name.startsWith("policy"));
  await ask("PATCH", `/v1.0/documents/${current.id}`, { supersedes: old.id });
  const page = await visit(t, { at: `/a/${slug}/documents?sort=name`, expected: ["400"] });
  const profile = page.getByRole("region", { name: "What it is" });
  const choice = page.getByRole("dialog", { name: "Choose what it replaces" });
  const choose = profile.getByRole("button", { name: "Choose what it replaces" });
  await page.getByRole("button", { name: "policy-2024.md" }).click();
  await profile.getByRole("link", { name: /^It replaces .?policy-2023\.md/ }).waitFor();
  await profile.getByRole("button", { name: "Replace none" }).click();
  await profile.getByText("It replaces no other document.").waitFor();
  assert.ok(await choose.evaluate((b) => b === document.activeElement), "the focus is kept");
  assert.equal((await ask("GET", `/v1.0/documents/${current.id}`)).supersedes, undefined);

  await choose.click();
  for (const hive of ["north", "south"]) await choice.getByRole("button", { name: new RegExp(`^honey\\.md.*/${hive}/honey\\.md.* Added .*\\d`) }).waitFor();
  await lookAround(page, "document-supersedes");
  await page.keyboard.type("policy");
  await choice.getByRole("button", { name: "honey.md" }).first().waitFor({ state: "detached" });
  await choice.getByRole("button", { name: "policy-2023.md" }).waitFor();
  assert.equal(await choice.getByRole("listitem").count(), 1, "the document itself is none of them");
  await page.keyboard.press("Enter");
  await profile.getByRole("link", { name: /^It replaces .?policy-2023\.md/ }).waitFor();
  assert.equal((await ask("GET", `/v1.0/documents/${current.id}`)).supersedes, old.id);
  assert.equal(await choice.count(), 0, "Enter chooses, and does not open the choice again");
  await lookAround(page, "document-supersedes-chosen");

  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "policy-2023.md" }).click();
  await page.route("**/collections/*/documents?*", (route) => route.continue({ url: route.request().url().replace("limit=20", "limit=2") }));
  const refusal = page.locator(".toast.bad", { hasText: "A document cannot supersede itself, nor one that supersedes it." });
  await choose.click();
  await choice.getByRole("button", { name: "Show more" }).click();
  await choice.getByRole("button", { name: "policy-2024.md" }).click();
  await refusal.hover();
  await refusal.getByRole("button", { name: "Close" }).click();
  await refusal.waitFor({ state: "detached" });
  await choose.click();
  await choice.getByRole("button", { name: "Show more" }).click();
  await choice.getByRole("button", { name: "policy-2024.md" }).press("Enter");
  await refusal.waitFor();
  await lookAround(page, "document-supersedes-refused");
  assert.equal((await ask("GET", `/v1.0/documents/${old.id}`)).supersedes, undefined);
});

test("what is refused while a key is made or a text copied has words", async (t) => {
  const page = await visit(t, { at: "/a/handbook/connect", expected: ["ERR_"] });
  await page.route("**/v1.0/keys", (route) => route.abort());
  for (let n = 0; n < 3; n++) await page.getByRole("button", { name: "Make a key" }).click();
  await page.locator(".toast.bad", { hasText: "The server does not answer" }).waitFor();
  assert.equal(await page.locator(".toast").count(), 1, "what is said again is said once");
  await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException("no", "NotAllowedError")); });
  await page.getByRole("button", { name: "Copy" }).first().click();
  await page.getByText("did not allow to copy").waitFor();
});
