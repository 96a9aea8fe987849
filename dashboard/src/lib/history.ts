import { api, the, type Schemas } from "../api/client";
import { Turn } from "./conversation.svelte";
import { sourceOf } from "./judging";
import { firstPage, type Paged } from "./paged.svelte";

export type StoredAnswer = Schemas["Answer"];
export type Rating = Schemas["Rating"];

/** What the list of the history shows: a conversation, or one rated answer of it. */
export interface Entry {
  id: string;
  thread: string;
  title: string;
  at: string;
  answers: number;
  feedback: Schemas["Feedback"] | null;
}

/** A stored answer as the parts of a chat show it. */
export interface Told {
  answer: StoredAnswer;
  turn: Turn;
}

const page = 100;

/** The conversations of an assistant, or its answers with a rating. The newest come first. */
export function entries(slug: string, rating: Rating | undefined, signal: AbortSignal): Promise<Paged<Entry>> {
  const path = { assistant: slug };
  return firstPage<Entry>(signal, async (cursor, s) => {
    const query = { limit: page, count: true, ...(cursor ? { cursor } : {}) };
    const options = s ? { signal: s } : {};
    if (rating === undefined) {
      const found = await the(api.GET("/v1.0/assistants/{assistant}/threads", { params: { path, query }, ...options }));
      return { ...found, data: found.data.map((x) => ({ id: x.id, thread: x.id, title: x.title, at: x.updated_at, answers: x.answers, feedback: null })) };
    }
    const found = await the(api.GET("/v1.0/assistants/{assistant}/history", { params: { path, query: { ...query, rating: [rating] } }, ...options }));
    return { ...found, data: found.data.map((x) => ({ id: x.id, thread: x.thread_id, title: x.question, at: x.created_at, answers: 1, feedback: x.feedback })) };
  });
}

/** The answers of a conversation, the oldest first. */
export function answersOf(slug: string, thread: string, signal: AbortSignal): Promise<Paged<Told>> {
  return firstPage<Told>(signal, async (cursor, s) => {
    const query = { thread_id: thread, sort: "created_at" as const, limit: page, count: true, ...(cursor ? { cursor } : {}) };
    const found = await the(api.GET("/v1.0/assistants/{assistant}/history", { params: { path: { assistant: slug }, query }, ...(s ? { signal: s } : {}) }));
    return { ...found, data: found.data.map((answer) => ({ answer, turn: turnOf(answer) })) };
  });
}

/** A stored answer as a turn. What people said of a source is said of each of its markers. */
export function turnOf(answer: StoredAnswer): Turn {
  const turn = new Turn(answer.question);
  turn.answer = answer.answer;
  turn.citations = answer.citations;
  turn.markers = answer.citations?.markers ?? [];
  turn.answerID = answer.id;
  turn.results = Object.fromEntries(answer.verifications.map((v) => [v.source, v.result]));
  turn.markers.forEach((m, i) => {
    const result = turn.results[sourceOf(m) ?? 0];
    if (result) turn.judged[i] = result === "confirmed";
  });
  return turn;
}
