import { expect, test } from "vitest";
import { slice } from "./codepoints";
import { markersIn } from "./markers";
import { mentions } from "./mentions";

test("markers of a search are the numbers that the server says are cited", () => {
  const answer = "😀 Both [1][2], not [3] or [12] nor [x], and [1, 3].";
  const found = markersIn(answer, (n) => n === 1 || n === 2);
  expect(found.map((m) => [slice(answer, m.start, m.end), m.indices])).toEqual([["[1]", [1]], ["[2]", [2]], ["[1, 3]", [1]]]);
});

test("mentions are found in any case, across line ends, in code points", () => {
  const text = "😀 Annual\n leave. ANNUAL LEAVE, annual-leave (a+b)";
  expect(mentions(text, " annual  leave ").map((m) => slice(text, m.start, m.end))).toEqual(["Annual\n leave", "ANNUAL LEAVE"]);
  expect(mentions(text, "(a+b)").map((m) => slice(text, m.start, m.end))).toEqual(["(a+b)"]);
  expect(mentions(text, "annual-leave")).toHaveLength(1);
  expect(mentions(text, "  ")).toEqual([]);
});
