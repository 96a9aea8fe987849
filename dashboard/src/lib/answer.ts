import { Lexer, type Token, type Tokens } from "marked";
import type { Marker, Span } from "../api/chat";
import { length, slice, unitOf } from "./codepoints";

// An answer is Markdown with markers. The server says where each marker is. It is replaced
// by a placeholder before the Markdown is read, so that what the server calls a marker is
// one here, and nothing else is. The placeholder has brackets, because Markdown treats
// what stands beside punctuation in a way of its own.
const open = "\uE000";
const close = "\uE001";
const placeholder = /\[\uE000(\d+)\uE001\]/;
const border = /\[\uE000([be])\uE001\]/; // where what is underlined begins and ends

interface Insert {
  start: number;
  end: number;
  as: string;
}

/** The blocks of an answer. A marker is in the texts as a placeholder; see [pieces]. What is underlined is in tokens of the type underlined. */
export function blocks(text: string, markers: readonly Marker[], underlined: readonly Span[] = []): Token[] {
  let marked = "";
  let unit = 0;
  let point = 0;
  const inserts = markers.flatMap((m, k): Insert[] => (m.choice === 0 && m.end > m.start ? [{ start: m.start, end: m.end, as: String(k) }] : [])); // the others are of another choice, or taken out of the text
  for (const { start, end, as } of [...inserts, ...underlined.flatMap((s) => borders(text, s))].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < point) continue;
    const from = unitOf(text, start - point, unit);
    marked += withoutPlaceholders(text.slice(unit, from)) + `[${open}${as}${close}]`;
    unit = unitOf(text, end - start, from);
    point = end;
  }
  const tokens = new Lexer({ gfm: true }).lex(marked + withoutPlaceholders(text.slice(unit)));
  return underlined.length > 0 ? underline(tokens) : tokens;
}

// The borders stand at the first and the last letter of plain words, so that they change
// nothing of the Markdown.
function borders(text: string, span: Span): Insert[] {
  const sentence = slice(text, span.start, span.end);
  const unmarked = sentence.replace(/[[【［][^\]】］]*[\]】］]/g, (marker) => " ".repeat(marker.length));
  const words = Array.from(unmarked.matchAll(/\S+/g)).filter(([word]) => /[\p{L}\p{N}]/u.test(word) && !/[@&<`\\]|:\/|www\./.test(word));
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || span.choice !== 0) return [];
  const start = span.start + length(sentence.slice(0, first.index + first[0].search(/[\p{L}\p{N}]/u)));
  const stem = sentence.slice(0, last.index) + last[0].replace(/[^\p{L}\p{N}]+$/u, "");
  const markers = /^(\s*[[【［][^\]】］]*[\]】］])*/.exec(sentence.slice(stem.length))?.[0] ?? ""; // they stay with their word
  const end = span.start + length(stem + markers);
  return [{ start, end: start, as: "b" }, { start: end, end, as: "e" }];
}

// Puts what is between two borders into tokens of their own. No sentence goes on in another block.
function underline(blocks: readonly Token[]): Token[] {
  return blocks.map((t): Token => {
    if (t.type === "list") return { ...t, items: (t as Tokens.List).items.map((item) => ({ ...item, tokens: underline(item.tokens) })) };
    if (t.type === "table") {
      const row = (cells: Tokens.TableCell[]): Tokens.TableCell[] => cells.map((cell) => ({ ...cell, tokens: underlineIn(cell.tokens) }));
      return { ...t, header: row((t as Tokens.Table).header), rows: (t as Tokens.Table).rows.map(row) };
    }
    if (t.type === "blockquote") return { ...t, tokens: underline(t.tokens ?? []) };
    if (t.type === "code") return { ...t, text: (t as Tokens.Code).text.replace(new RegExp(border, "g"), "") };
    if (t.type === "hr" || t.type === "space") return t;
    return { ...t, type: t.type === "heading" || t.type === "text" ? t.type : "paragraph", tokens: underlineIn("tokens" in t && t.tokens ? t.tokens : [t]) } as Token;
  });
}

function underlineIn(tokens: readonly Token[], state = { on: false }): Token[] {
  return joined(tokens).flatMap((t): Token[] => {
    if ("tokens" in t && t.tokens) return [{ ...t, tokens: underlineIn(t.tokens, state) } as Token];
    if (!isText(t)) return state.on ? [{ type: "underlined", raw: t.raw, tokens: [t] }] : [t];
    return t.text.split(border).flatMap((part, i): Token[] => {
      if (i % 2 === 1) state.on = part === "b";
      if (i % 2 === 1 || !part) return [];
      const piece = { type: "text", raw: part, text: part };
      return [state.on ? { type: "underlined", raw: part, tokens: [piece] } : piece];
    });
  });
}

function withoutPlaceholders(text: string): string {
  return text.replace(/[\uE000\uE001]/g, "\uFFFD");
}

/** A piece of a text: words, or markers with the word that they must not be parted from. */
export type Piece = { text: string } | { word: string; markers: number[] };

/** The pieces of a text token. The numbers are indices of the answer's markers. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  const parts = text.split(placeholder); // text, number, text, number, …, text
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? "";
    const last = out.at(-1);
    if (i % 2 === 1) {
      const marker = Number(part);
      if (last && "markers" in last) last.markers.push(marker);
      else out.push({ word: takeWord(out), markers: [marker] });
    } else if (part) {
      out.push({ text: part });
    }
  }
  return out;
}

/** All numbers of a marker, also those that are no source's. */
export function numbersOf(marker: Marker | undefined): number[] {
  return [...(marker?.indices ?? []), ...(marker?.invalid ?? [])];
}

/** What a marker is about, as plain text: without markers, and without the signs of Markdown. */
export function claimOf(answer: string, markers: readonly Marker[], marker: Marker): string {
  let plain = "";
  let at = marker.claim_start;
  for (const m of markers) {
    if (m.choice !== marker.choice || m.start < at || m.end > marker.claim_end) continue;
    plain += slice(answer, at, m.start).trimEnd();
    at = m.end;
  }
  const tokens = new Lexer({ gfm: true }).lex(plain + slice(answer, at, marker.claim_end));
  // A sentence can begin or end within what is emphasized, or within a row of a table.
  return textOf(tokens).replace(/(?<!\S)(\*\*|__|~~)(?=\S)|(?<=\S)(\*\*|__|~~)(?!\S)/g, "").replace(/^[\s*_`~|]+|[\s*_`~|]+$/g, "");
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((t) => {
    if (t.type === "list") return (t as Tokens.List).items.map((item) => textOf(item.tokens)).join(" ");
    if ("tokens" in t && t.tokens) return textOf(t.tokens);
    return t.type === "br" || t.type === "space" ? " " : unescaped("text" in t ? String(t["text"]) : t.raw);
  }).join("");
}

/** Code as it was written: what Markdown takes for code has no badges. */
export function code(text: string, markers: readonly Marker[]): string {
  return text.replace(new RegExp(placeholder, "g"), (_, k: string) => `[${numbersOf(markers[Number(k)]).join(", ")}]`);
}

// A badge never begins a line: it takes the end of the word before it along.
function takeWord(out: Piece[]): string {
  const last = out.at(-1);
  if (!last || !("text" in last)) return "";
  const word = /\S{1,24}[ \u00a0]?$/.exec(last.text)?.[0] ?? "";
  last.text = last.text.slice(0, last.text.length - word.length);
  if (!last.text) out.pop();
  return word.replace(" ", "\u00a0");
}

/** Neighbouring texts are one, because a placeholder may be cut into several. */
export function joined(tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  for (const token of tokens) {
    const last = out.at(-1);
    const shown = asText(token);
    if (last && isText(last) && isText(shown)) last.text += shown.text;
    else out.push(isText(shown) ? { ...shown } : shown);
  }
  return out;
}

const drawn = new Set(["underlined", "strong", "em", "del", "codespan", "br", "link", "text", "escape"]);

// What is not drawn, such as HTML and pictures, is shown as it was written.
function asText(token: Token): Token {
  const follows = token.type === "link" ? safeLink((token as Tokens.Link).href) !== undefined : drawn.has(token.type);
  return follows ? token : { type: "text", raw: token.raw, text: token.raw };
}

function isText(token: Token): token is Tokens.Text {
  return (token.type === "text" || token.type === "escape") && !("tokens" in token && token.tokens);
}

/** Whether a link of an answer may be followed: only to the web or to a mailbox. */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href, location.origin);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Names of characters that Markdown's reader leaves as entities in texts. */
export function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (all, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? all);
}
