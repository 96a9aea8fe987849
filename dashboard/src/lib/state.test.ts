import { expect, test } from "vitest";
import { stateOf } from "./state";
import { en } from "./strings.en";

const shown = (d: Parameters<typeof stateOf>[0]): string => stateOf(d, en.documents.states);

test("the work on a document is counted behind its state", () => {
  const read = { pages: 48, pages_total: 48 };
  expect(shown({ status: "extracting", progress: { pages: 3, pages_total: 48 } })).toBe("being read 3/48");
  expect(shown({ status: "extracting", progress: { pages_total: 48 } })).toBe("being read 0/48");
  expect(shown({ status: "embedding", progress: { ...read, chunks: 32, chunks_total: 150 } })).toBe("found by words 32/150");
  expect(shown({ status: "embedding", progress: read })).toBe("found by words");
  expect(shown({ status: "indexing", progress: read })).toBe("being indexed");
  expect(shown({ status: "ready" })).toBe("ready");
});
