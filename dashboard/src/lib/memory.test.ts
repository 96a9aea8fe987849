import { expect, test } from "vitest";
import { Memory } from "./memory";

test("what was not used for longest is forgotten", () => {
  const memory = new Memory<number>(3);
  ["a", "b", "c"].forEach((name, i) => { memory.set(name, i); });
  expect(memory.get("a")).toBe(0); // now b is the oldest
  memory.set("d", 3);
  expect(["a", "b", "c", "d"].map((name) => memory.get(name))).toEqual([0, undefined, 2, 3]);
  memory.forget("a");
  expect(memory.get("a")).toBeUndefined();
});
