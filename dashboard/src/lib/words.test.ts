import { expect, test, vi } from "vitest";

vi.stubGlobal("localStorage", { getItem: () => null });
vi.stubGlobal("location", { origin: "http://127.0.0.1" });
vi.stubGlobal("document", { documentElement: {} });
vi.stubGlobal("navigator", { languages: ["en"] });
const { ApiError } = await import("../api/client");
const { wordsOf } = await import("./words");

test("no error is without words", () => {
  expect(wordsOf(new ApiError(0, "unreachable", ""))).toBe("The server does not answer");
  expect(wordsOf(new ApiError(0, "interrupted", ""))).toBe("The answer ended early");
  expect(wordsOf(new ApiError(409, "conflict", "Another key has this name."))).toBe("Another key has this name.");
  for (const empty of [new ApiError(500, "", ""), new Error(), undefined, "x"]) expect(wordsOf(empty)).toBe("This did not work");
});
