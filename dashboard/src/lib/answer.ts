import { Lexer, type Token, type Tokens } from "marked";
import type { Marker } from "../api/chat";
import { slice, unitOf } from "./codepoints";

// An answer is Markdown with markers. The server says where each marker is. It is replaced
// by a placeholder before the Markdown is read, so that what the server calls a marker is
// one here, and nothing else is. The placeholder has brackets, because Markdown treats
// what stands beside punctuation in a way of its own.
const open = "\uE000";
const close = "\uE001";
const placeholder = /\[\uE000(\d+)\uE001\]/;

/** The blocks of an answer. A marker is in the texts as a placeholder; see [pieces]. */
export function blocks(text: string, markers: readonly Marker[]): Token[] {
  let marked = "";
  let unit = 0;
  let point = 0;
  markers.forEach((m, k) => {
    if (m.choice !== 0 || m.start < point || m.end <= m.start) return; // of another choice, or taken out of the text
    const start = unitOf(text, m.start - point, unit);
    marked += withoutPlaceholders(text.slice(unit, start)) + `[${open}${k}${close}]`;
    unit = unitOf(text, m.end - m.start, start);
    point = m.end;
  });
  return new Lexer({ gfm: true }).lex(marked + withoutPlaceholders(text.slice(unit)));
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
  return textOf(tokens).replace(/^[\s*_`~|]+|[\s*_`~|]+$/g, "");
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

const drawn = new Set(["strong", "em", "del", "codespan", "br", "link", "text", "escape"]);

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
