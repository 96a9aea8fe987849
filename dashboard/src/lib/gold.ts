import type { Schemas } from "../api/client";

export type Question = Schemas["GoldQuestion"];
export type QuestionInput = Schemas["GoldQuestionInput"];
export type Run = Schemas["EvalRun"];
export type Result = Schemas["EvalResult"];

/** "4, 9-11" as page numbers; undefined if it is something else. */
export function pagesIn(text: string): number[] | undefined {
  const pages: number[] = [];
  for (const part of text.split(",").map((p) => p.trim()).filter(Boolean)) {
    const found = /^(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?$/.exec(part);
    const from = Number(found?.[1] ?? 0);
    const to = Number(found?.[2] ?? from);
    if (from < 1 || to < from || to - from > 999) return undefined;
    for (let page = from; page <= to; page++) pages.push(page);
  }
  return pages;
}

/** Page numbers in few words: 4, 9, 10 and 11 are "4, 9–11". */
export function pagesAsText(pages: readonly number[]): string {
  const parts: string[] = [];
  const sorted = [...new Set(pages)].sort((a, b) => a - b);
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    parts.push(end > i ? `${sorted[i]}–${sorted[end]}` : String(sorted[i]));
    i = end + 1;
  }
  return parts.join(", ");
}

/** What is asked: the question, or the last message of a conversation. */
export function asked(q: Question): string {
  return q.question ?? q.turns?.at(-1)?.content ?? "";
}

/** A stored question as what replaces it, so that no member is lost by an edit. */
export function inputOf(q: Question): QuestionInput {
  const { gold_id, document, pages, also, question, turns, written_out, passage, answer, language, kind, cross } = q;
  const input = { gold_id, document, pages, also, question, turns, written_out, passage, answer, language, kind, cross };
  return Object.fromEntries(Object.entries(input).filter(([, v]) => v !== undefined)) as unknown as QuestionInput;
}

/** The place of the right page, or of what is known instead; 0: it was not found. */
export function rankOf(r: Result): { by: "page" | "passage" | "document"; rank: number } {
  if (r.page_rank !== undefined) return { by: "page", rank: r.page_rank };
  if (r.passage_rank !== undefined) return { by: "passage", rank: r.passage_rank };
  return { by: "document", rank: r.document_rank };
}
