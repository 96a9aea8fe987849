import { expect, test } from "vitest";
import { axisEnd, requestSeries, runsOf, stacked, type Minute, type SeriesNames } from "./minutes";

const names = new Proxy({}, { get: (_, name) => String(name) }) as SeriesNames;
const minute = (requests: number, refused = 0, failed = 0, interrupted = 0): Minute => ({
  start: "2026-03-04T12:00:00Z", requests, refused, failed, interrupted, tokens: { requests: 0, prompt: 0, completion: 0 },
  first_byte_ms: { requests: 0, mean: null, max: null }, citations: { cited: 0, none: 0, no_sources: 0, unavailable: 0 },
});

test("chats are kept apart by how they ended, and stacked", () => {
  const series = requestSeries([minute(10, 1, 2, 3), minute(0)], names);
  expect(series.map((s) => [s.name, s.values])).toEqual([["ok", [4, 0]], ["interrupted", [3, 0]], ["refused", [1, 0]], ["failed", [2, 0]]]);
  expect(stacked(series, 0)).toEqual([[0, 4], [4, 7], [7, 8], [8, 10]]);
});

test("an axis ends at a round number that is large enough", () => {
  for (const [most, end] of [[0, 2], [1, 2], [2, 2], [3, 4], [5, 6], [10, 10], [11, 20], [95, 100], [101, 200], [1300, 2000]] as const) expect(axisEnd(most)).toBe(end);
});

test("a line is interrupted where nothing was measured", () => {
  expect(runsOf([null, 1, 2, null, null, 3])).toEqual([[[1, 1], [2, 2]], [[5, 3]]]);
  expect(runsOf([null])).toEqual([]);
});
