import { expect, test, vi } from "vitest";
import type { Setting } from "./settings";

vi.stubGlobal("location", { origin: "http://127.0.0.1" }); // the client asks for it as soon as it is loaded
const { kindOf, linesOf } = await import("./settings");

const setting = (name: string, rest: Partial<Setting>): Setting => ({ name, help: "", default: null, ...rest });

test("lists are entered as lines, as choices or as JSON", () => {
  expect(kindOf(setting("synonyms", { default: [] }))).toBe("lines");
  expect(kindOf(setting("synonym_packs", { default: ["business"], allowed: ["business", "legal"] }))).toBe("several");
  expect(kindOf(setting("collections", { default: [] }))).toBe("json");
  expect(kindOf(setting("search_mode", { default: "Hybrid", allowed: ["Vector", "Hybrid"] }))).toBe("choice");
});

test("a file of lines is read as the server reads it", () => {
  expect(linesOf("\uFEFFa, b\r\n\n# a comment\n  c => d \n")).toEqual(["a, b", "c => d"]);
});
