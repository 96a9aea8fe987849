// Questions with expected pages, runs, and what two runs differ in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, assistant, browser, cancels, lookAround, visit } from "./browser.mjs";
import { evaluated, failing, hostile } from "./records.mjs";

after(() => browser.close());
let slug, runs, fresh;
before(async () => {
  ({ slug, runs } = await evaluated("Measured"));
  fresh = (await assistant("Unmeasured", {})).slug;
});

test("evaluation, each state, light and dark, narrow and wide", async (t) => {
  const page = await visit(t, { at: `/a/${slug}/eval`, expected: ["500", "ERR_FAILED"] });
  const shows = async (at, state, ready) => {
    await page.goto(new URL(at, page.url()).href);
    await ready();
    await lookAround(page, `eval-${state}`);
  };
  await page.getByRole("button", { name: "How much honey" }).first().waitFor();
  await lookAround(page, "eval-questions");
  await page.getByRole("button", { name: "How long is the Elbe" }).first().click();
  await lookAround(page, "eval-question");
  await page.getByLabel("Pages").fill("four");
  await lookAround(page, "eval-question-wrong");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Runs" }).click();
  await page.getByRole("link", { name: "words alone" }).waitFor();
  for (const box of await page.getByRole("checkbox").all()) await box.check();
  await lookAround(page, "eval-runs");
  await page.getByRole("button", { name: "Start a run" }).click();
  await page.getByLabel("Name of the run").waitFor();
  await lookAround(page, "eval-start");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("heading", { name: "Comparison" }).waitFor();
  await page.getByText("page hit@5").first().waitFor();
  await lookAround(page, "eval-compare");
  await shows(`/a/${slug}/eval?run=${runs[0]}`, "run", async () => { await page.locator("summary").nth(3).click(); });
  await shows(`/a/${slug}/eval?run=${runs[0]}&show=failed`, "none-failed", () => page.getByText("None of them").waitFor());
  await page.route("**/eval/runs?**", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    Object.assign(body.data[0], { status: "running", summary: null, progress: { done: 2, total: 5 } });
    await route.fulfill({ response: answer, json: body });
  });
  await shows(`/a/${slug}/eval?tab=runs`, "running", () => page.getByText("2 of 5 questions").waitFor());
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await shows(`/a/${fresh}/eval`, "empty", () => page.getByText("No questions yet").waitFor());
  await shows(`/a/${fresh}/eval?tab=runs`, "no-runs", () => page.getByText("No runs yet").waitFor());
  await failing(page, `/a/${slug}/eval`, "eval");
});

test("a question and a run can be cancelled", async (t) => {
  const page = await visit(t, { at: `/a/${slug}/eval` });
  const kept = async () => [await ask("GET", `/v1.0/assistants/${slug}/eval/questions`), await ask("GET", `/v1.0/assistants/${slug}/eval/runs`)];
  const before = await kept();
  await cancels(page, page.getByRole("button", { name: "New question" }), "New question", async (dialog) => {
    await dialog.getByLabel("Question", { exact: true }).fill("Really?");
    await dialog.getByLabel("Document").fill("honey.md");
  });
  await page.getByRole("link", { name: "Runs" }).click();
  await cancels(page, page.getByRole("button", { name: "Start a run" }), "Start a run", (dialog) => dialog.getByLabel("Name of the run").fill("never"));
  assert.deepEqual(await kept(), before);
});

test("questions are added, changed, imported and deleted; a run is started and compared", async (t) => {
  const { slug: own } = await assistant("Exam", { "honey.md": "# Honey\n\nA colony needs twenty kilograms of honey for the winter.\n" });
  const page = await visit(t, { at: `/a/${own}/eval`, expected: ["400"] });
  await page.getByRole("button", { name: "New question" }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Question", { exact: true }).fill(`How much honey? ${hostile}`);
  await page.getByLabel("Document that answers").fill("honey.md");
  await page.getByLabel("Pages").fill("3-x");
  await page.getByText("Write page numbers").waitFor();
  assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
  await page.getByLabel("Pages").fill("1, 3-5");
  await page.keyboard.press("Enter");
  await page.getByText("honey.md, page 1, 3–5").waitFor();
  assert.ok(await page.getByRole("button", { name: "New question" }).evaluate((b) => b === document.activeElement), "the focus returns");
  await page.getByRole("button", { name: "How much honey?" }).first().click();
  await page.getByLabel("Words on the page").fill("twenty kilograms");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { data: [question] } = await ask("GET", `/v1.0/assistants/${own}/eval/questions`);
  assert.deepEqual([question.pages, question.passage, question.question], [[1, 3, 4, 5], "twenty kilograms", `How much honey? ${hostile}`]);
  assert.equal(await page.locator("main").evaluate((m) => m.querySelectorAll("img, script, [onerror], a[href^='javascript']").length), 0, "text became elements");

  const bring = (text) => page.locator("input[type=file]").setInputFiles([{ name: "gold.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(text) }]);
  await bring('{"id":"a","document":"honey.md"}\n');
  await page.getByRole("alert").waitFor(); // none is added if one is wrong, and the server's sentence says why
  await bring('{"id":"a","document":"honey.md","question":"What does a colony need?"}\n{"id":"b","document":"none.pdf","question":"Who knows?","pages":[2]}\n');
  await page.getByText("2 questions imported").waitFor();
  await page.clock.install();
  await page.getByRole("button", { name: "Delete: Who knows?" }).click();
  const gone = page.waitForResponse((r) => r.request().method() === "DELETE");
  await page.clock.fastForward(10_500);
  assert.ok((await gone).ok());
  await page.clock.resume();

  await page.getByRole("link", { name: "Runs" }).click();
  for (const [name, mode] of [["first", ""], ["second", "FullText"]]) {
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("Name of the run").fill(name);
    if (mode) await page.getByLabel("Search mode to try").selectOption(mode);
    await page.getByRole("dialog").getByRole("button", { name: "Start a run" }).click();
    // By its link: another run's row may say "1 second ago".
    await page.getByRole("row").filter({ has: page.getByRole("link", { name: new RegExp(`^\\W*${name}\\W*$`) }) }).getByText("completed").waitFor();
  }
  for (const name of ["first", "second"]) await page.getByLabel(new RegExp(`^Compare .${name}.$`)).check();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("2 questions that both runs have").waitFor();
  await page.getByText("0 better, 0 worse, 2 the same").waitFor();
  await page.getByLabel("Show those that are the same").check();
  await page.getByText("right document: place 1 → place 1").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "second" }).click();
  await page.getByRole("heading", { name: "second" }).waitFor();
  await page.getByRole("heading", { name: "Results" }).waitFor();
});

test("a run goes on showing its progress after the connection was lost", async (t) => {
  const page = await visit(t, { at: `/a/${slug}/eval?tab=runs`, expected: ["ERR_FAILED"] });
  let state = "running";
  await page.route("**/eval/runs?**", async (route) => {
    if (state === "cut") return route.abort();
    const answer = await route.fetch();
    const body = await answer.json();
    if (state === "running") Object.assign(body.data[0], { status: "running", summary: null, progress: { done: 1, total: 5 } });
    return route.fulfill({ response: answer, json: body });
  });
  await page.goto(page.url());
  await page.getByText("1 of 5 questions").waitFor();
  state = "cut";
  await page.getByText("The connection was lost").waitFor();
  state = "whole";
  await page.getByText("completed").nth(1).waitFor();
  assert.equal(await page.getByText("The connection was lost").count(), 0);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});
