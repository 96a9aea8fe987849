// What history and evaluation show: an assistant whose conversations are stored, with
// names, questions, answers and notes that would be HTML, and gold questions with runs.
import { adminKey, ask, assistant, base, lookAround } from "./browser.mjs";

export const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1)) "Hostile"';
const documents = {
  "honey.md": "# Honey\n\nA colony needs twenty kilograms of honey for the winter. The beekeeper weighs the hive in October.\n\n# Swarms\n\nA swarm leaves the hive in May, when the colony has two queens.\n",
  "rivers.md": "# Rivers\n\nThe river Elbe is 1094 kilometres long and flows into the North Sea at Cuxhaven.\n",
};

async function chat(slug, thread, question) {
  const answer = await fetch(`${base}/v1/chat/completions`, {
    method: "POST", headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json", "X-Thread-Id": thread, "X-Footnote-Assistant": slug },
    body: JSON.stringify({ model: slug, messages: [{ role: "user", content: question }] }),
  });
  await answer.json();
  return answer.headers.get("X-Footnote-Answer");
}

export async function remembering(name) {
  const { slug } = await assistant(name, documents);
  await ask("PATCH", `/v1.0/assistants/${slug}/settings`, { store_history: true });
  const first = await chat(slug, `${slug}-bees`, "How much honey does a colony need for the winter?");
  const second = await chat(slug, `${slug}-bees`, "When does a swarm leave the hive?");
  const third = await chat(slug, `${slug}-elbe`, `How long is the river Elbe? ${hostile}`);
  await ask("PUT", `/v1.0/history/${first}/feedback`, { rating: "up" });
  await ask("PUT", `/v1.0/history/${first}/verifications/1`, { result: "confirmed" });
  await ask("PUT", `/v1.0/history/${third}/feedback`, { rating: "down", comment: `Not what I asked. ${hostile}` });
  await ask("PUT", `/v1.0/history/${second}/verifications/1`, { result: "rejected" });
  return slug;
}

export async function evaluated(name) {
  const { slug } = await assistant(name, documents);
  const questions = [
    { gold_id: "honey", document: "honey.md", question: "How much honey does a colony need for the winter?", passage: "twenty kilograms", answer: "Twenty kilograms", kind: "fact" },
    { gold_id: "swarm", document: "honey", question: "When does a swarm leave the hive?", passage: "in May", language: "en" },
    { gold_id: "elbe", document: "rivers.md", pages: [1, 2, 3, 7], question: `How long is the Elbe? ${hostile}`, answer: "1094 kilometres" },
    { gold_id: "gone", document: `${hostile}.pdf`, pages: [4], question: "Who may come in?" },
    { gold_id: "talk", document: "honey.md", turns: [{ role: "user", content: "What about bees?" }, { role: "assistant", content: "They need honey." }, { role: "user", content: "When is the hive weighed?" }] },
  ];
  for (const question of questions) await ask("POST", `/v1.0/assistants/${slug}/eval/questions`, question);
  const runs = [];
  for (const run of [{ name: "as it is set", answers: true }, { name: `words alone ${hostile}`, top_k: 1, settings: { search_mode: "FullText" } }]) {
    const { id } = await ask("POST", `/v1.0/assistants/${slug}/eval/runs`, run);
    for (;;) if ((await ask("GET", `/v1.0/eval/runs/${id}`)).status !== "running") break;
    runs.push(id);
  }
  return { slug, runs };
}

// What the screens load. The assistants are known all the same.
const shown = /\/v1\.0\/(assistants\/[^/]+\/(history|threads|eval)|eval)/;

/** Takes a page through what can go wrong with what it loads. */
export async function failing(page, at, name) {
  const url = new URL(at, page.url()).href;
  await page.route(shown, (route) => route.fulfill({ status: 500, contentType: "application/json", body: '{"error":{"message":"The server failed.","type":"server_error","param":null,"code":"internal_error"}}' }));
  await page.goto(url);
  await page.getByText("This did not work").waitFor();
  await lookAround(page, `${name}-error`);
  await page.unrouteAll();
  await page.route(shown, (route) => route.abort());
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The server does not answer").waitFor();
  await lookAround(page, `${name}-unreachable`);
  await page.unrouteAll();
  const held = [];
  await page.route(shown, (route) => { held.push(route); });
  await page.goto(url);
  await page.locator(".skeleton i").first().waitFor();
  await lookAround(page, `${name}-loading`);
  await page.unrouteAll();
  await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
}
