import { api, refusalOf, send, the, type Schemas } from "../api/client";
import type { Question, Result, Run } from "./gold";
import { firstPage, type Paged } from "./paged.svelte";

/** Adds the questions of a JSONL file, and returns how many they were. */
export async function importQuestions(slug: string, text: string): Promise<number> {
  const answer = await send(
    new Request(`/v1.0/assistants/${encodeURIComponent(slug)}/eval/questions/import`, { method: "POST", headers: { "Content-Type": "application/jsonl" }, body: text }),
  );
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) throw refusalOf(answer, body);
  return (body as Schemas["GoldQuestionPage"]).data.length;
}

const page = 200;
const next = (cursor: string | undefined): { limit: number; cursor?: string } => ({ limit: page, ...(cursor ? { cursor } : {}) });
const until = (signal: AbortSignal | undefined): { signal?: AbortSignal } => (signal ? { signal } : {});

export function questionsOf(slug: string, signal: AbortSignal): Promise<Paged<Question>> {
  return firstPage(signal, (cursor, s) =>
    the(api.GET("/v1.0/assistants/{assistant}/eval/questions", { params: { path: { assistant: slug }, query: { ...next(cursor), count: true } }, ...until(s) })));
}

export function runsOf(slug: string, signal: AbortSignal): Promise<Paged<Run>> {
  return firstPage(signal, (cursor, s) => the(api.GET("/v1.0/assistants/{assistant}/eval/runs", { params: { path: { assistant: slug }, query: { ...next(cursor), count: true } }, ...until(s) })));
}

export function resultsOf(run: string, signal: AbortSignal): Promise<Paged<Result>> {
  return firstPage(signal, (cursor, s) => the(api.GET("/v1.0/eval/runs/{run}/results", { params: { path: { run }, query: next(cursor) }, ...until(s) })));
}
