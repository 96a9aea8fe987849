import { expect, test } from "vitest";
import type { Tokens } from "marked";
import type { Marker, Span } from "../api/chat";
import { blocks, claimOf, joined, pieces } from "./answer";
import { slice } from "./codepoints";

// markersOf finds the brackets in a text, as the server would.
function markersOf(text: string): Marker[] {
  const points = Array.from(text);
  return Array.from(text.matchAll(/\[(\d)\]/g), (m) => {
    const start = Array.from(text.slice(0, m.index)).length;
    expect(points.slice(start, start + m[0].length).join("")).toBe(m[0]);
    return { choice: 0, start, end: start + m[0].length, indices: [Number(m[1])], claim_start: 0, claim_end: start };
  });
}

function shown(text: string, underlined: readonly Span[] = []): string {
  const inline = (tokens: Parameters<typeof joined>[0]): string =>
    joined(tokens)
      .map((t): string => {
        if ("tokens" in t && t.tokens) return `<${t.type}>${inline(t.tokens)}</${t.type}>`;
        if (t.type !== "text" && t.type !== "escape") return `<${t.type}>${t.raw}`;
        return pieces((t as { text: string }).text)
          .map((p) => ("text" in p ? p.text : `{${p.word}|${p.markers.join()}}`))
          .join("");
      })
      .join("");
  return blocks(text, markersOf(text), underlined).map((t) => (t.type === "paragraph" ? `<paragraph>${inline(t.tokens ?? [])}</paragraph>` : t.type === "list" ? (t as Tokens.List).items.map((i) => `<item>${inline(i.tokens)}`).join("") : inline([t]))).join("");
}

test("a marker keeps the word before it", () => {
  expect(shown("Days lapse on 31 March [1][2]. Ask.")).toBe("<paragraph>Days lapse on 31 {March\u00a0|0,1}. Ask.</paragraph>");
});

test("markers stand beside decoration, in lists and in tables", () => {
  expect(shown('**"27 days"**[1] and *more*[2]')).toContain('<strong>"27 days"</strong>{|0} and <em>more</em>{|1}');
  expect(shown("great![1]")).toBe("<paragraph>{great!|0}</paragraph>");
  expect(shown("- one [1]\n- two [2]\n")).toBe("<item><text>{one\u00a0|0}</text><item><text>{two\u00a0|1}</text>");
});

test("offsets count code points", () => {
  expect(shown("😀😀 yes[1].")).toBe("<paragraph>😀😀 {yes|0}.</paragraph>");
  expect(slice("a😀b", 1, 3)).toBe("😀b");
});

test("what looks like a placeholder in an answer is none", () => {
  expect(shown("x [\uE0000\uE001] y[1]")).toBe("<paragraph>x [\uFFFD0\uFFFD] {y|0}</paragraph>");
});

test("HTML of an answer is text", () => {
  const tokens = blocks("<img src=x onerror=alert(1)> **b**", []);
  expect(JSON.stringify(tokens)).toContain("onerror");
  expect(tokens.every((t) => t.type !== "html" || t.raw.startsWith("<img"))).toBe(true);
});

test("markers in HTML and beside pictures are badges, too", () => {
  expect(shown("<b onclick=x>bold [1]</b>")).toContain("bold\u00a0|0}");
  expect(shown("![a](http://b) [1]")).toContain("|0}");
});

test.each([
  ["**Vacation:** You get _27_ days [1].", "Vacation: You get 27 days."],
  ["* You get **27 days** [1][2].", "You get 27 days."],
  ["| Anna | 27 `days` [1] |", "Anna | 27 days"],
  ["You get **27 days [1]. It is 2 ** 3.", "You get 27 days. It is 2 ** 3."],
  ["**You get 27 days [1].", "You get 27 days."],
  ["A [link](https://example.org) & a 𝒳 [1].", "A link & a 𝒳."],
])("the claim of %j is plain text", (text, claim) => {
  const markers = markersOf(text);
  const marker = { ...(markers[0] as Marker), claim_start: 0, claim_end: Array.from(text).length };
  expect(claimOf(text, markers, marker)).toBe(claim);
});

test.each([
  ["Bees fly. They make honey [1].", "Bees fly.", "<paragraph><underlined>Bees fly</underlined>. They make {honey\u00a0|0}.</paragraph>"],
  ["* 𝒳 and **the queen here [9].** So [1].", "𝒳 and **the queen here [9].**", "<item><text><underlined>𝒳 and </underlined><strong><underlined>the queen {here\u00a0|0}</underlined>.</strong> {So\u00a0|1}.</text>"],
  ["**The queen** wears a crown.", "**The queen** wears a crown.", "<paragraph><strong><underlined>The queen</underlined></strong><underlined> wears a crown</underlined>.</paragraph>"],
  ["It is `x` of https://example.org/a.", "It is `x` of https://example.org/a.", "<paragraph><underlined>It is </underlined><underlined><codespan>`x`</underlined><underlined> of</underlined> https://example.org/a.</paragraph>"],
])("what is underlined of %j", (text, sentence, expected) => {
  const start = Array.from(text.slice(0, text.indexOf(sentence))).length;
  expect(shown(text, [{ choice: 0, start, end: start + Array.from(sentence).length }])).toBe(expected);
});
