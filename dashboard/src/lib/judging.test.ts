import { expect, test } from "vitest";
import type { Marker, Source } from "../api/chat";
import { checkable, resultOf, sourceOf } from "./judging";

const marker = (...indices: number[]): Marker => ({ choice: 0, start: 0, end: 3, claim_start: 0, claim_end: 9, indices });
const markers = [1, 1, 2, 1, 2, 3].map((n) => marker(n));

test("a source has the worst of what is said of its markers", () => {
  const judged = { 0: false, 1: false, 2: false, 3: true, 4: true, 5: true };
  expect([1, 2, 3].map((n) => resultOf(markers, judged, n))).toEqual(["rejected", "rejected", "confirmed"]);
});

test("a source is confirmed only when all of its markers are", () => {
  expect(resultOf(markers, { 0: true, 1: true }, 1)).toBeUndefined();
  expect(resultOf(markers, { 0: true, 1: true, 3: true }, 1)).toBe("confirmed");
  expect(resultOf(markers, { 0: false }, 1)).toBe("rejected");
  expect(resultOf(markers, {}, 4)).toBeUndefined();
});

test("only markers with a source are checked, against the source of their quote", () => {
  const quoted = { ...marker(1, 2), quote: { index: 2, text: "q", char_start: 0, char_end: 1 } };
  expect(sourceOf(quoted)).toBe(2);
  expect(checkable([{ ...marker(), invalid: [9] }, quoted, marker(7)], [{ index: 2 } as Source])).toEqual([1]);
});
