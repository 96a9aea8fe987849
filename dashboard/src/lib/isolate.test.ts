import { expect, test } from "vitest";
import { isolated } from "./isolate";
import { de } from "./strings.de";
import { en } from "./strings.en";

test("a name cannot turn the sentence around it, and cannot leave its place", () => {
  expect(isolated("gnp.exe")).toBe("\u2068gnp.exe\u2069");
  expect(isolated("a\u2069\u202Eb\u2066c\u202A")).toBe("\u2068abc\u2069");
});

test("every sentence with a name isolates it", () => {
  for (const t of [en, de]) {
    const sentences = [
      t.welcome.dropInto, t.viewer.of, t.documents.uploading, t.search.like, t.preview.changed, t.evaluation.choose, t.uploads.waiting, t.keys.revokeText, t.keys.revoked,
      t.upstreams.defaultModel, t.upstreams.removeText, t.upstreams.removed, t.upstreams.inUse, t.status.upstream,
    ];
    for (const sentence of sentences) expect(sentence("\u202Egnp.exe")).toContain("\u2068gnp.exe\u2069");
  }
});
