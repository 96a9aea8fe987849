import { describe, expect, it } from "vitest";
import { asked, inputOf, pagesAsText, pagesIn, rankOf, type Question } from "./gold";

const question: Question = { id: "gold_1", assistant_id: "asst_1", gold_id: "mine", document: "a.pdf", pages: [4], turns: [{ role: "user", content: "And then?" }], kind: "follow-up", created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };

describe("pages", () => {
  it.each([["", []], ["4", [4]], [" 4, 9-11 ", [4, 9, 10, 11]], ["9 – 10", [9, 10]]])("%j", (text, pages) => { expect(pagesIn(text)).toEqual(pages); });
  it.each(["0", "x", "4;5", "11-9", "-1", "1-99999"])("not %j", (text) => { expect(pagesIn(text)).toBeUndefined(); });
  it("are written as they are read", () => { expect(pagesIn(pagesAsText([11, 4, 9, 10, 4]))).toEqual([4, 9, 10, 11]); });
});

describe("a question", () => {
  it("keeps every member over an edit", () => { expect(inputOf(question)).toEqual({ gold_id: "mine", document: "a.pdf", pages: [4], turns: question.turns, kind: "follow-up" }); });
  it("of a conversation asks its last message", () => { expect(asked(question)).toBe("And then?"); });
});

it("a result is judged by the most exact thing that is known", () => {
  const result = { id: "mine", document: "a.pdf", question: "?", document_rank: 1, ms: 1 };
  expect(rankOf(result)).toEqual({ by: "document", rank: 1 });
  expect(rankOf({ ...result, passage_rank: 3 })).toEqual({ by: "passage", rank: 3 });
  expect(rankOf({ ...result, passage_rank: 3, page_rank: 0 })).toEqual({ by: "page", rank: 0 });
});
