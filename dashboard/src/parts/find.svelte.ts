import { api, the, type Schemas } from "../api/client";
import { length } from "../lib/codepoints";

/** A place in a document's text, in code points. */
export interface Mention {
  start: number;
  end: number;
}

const most = 1000;

/** Where a text has some words, in any case and across line ends. */
export function mentions(text: string, words: string): Mention[] {
  const parts = words.trim().split(/\s+/).filter(Boolean).map((w) => w.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"));
  if (parts.length === 0) return [];
  const found: Mention[] = [];
  let unit = 0;
  let point = 0;
  for (const m of text.matchAll(new RegExp(parts.join("\\s+"), "giu"))) {
    point += length(text.slice(unit, m.index));
    unit = m.index;
    found.push({ start: point, end: point + length(m[0]) });
    if (found.length === most) break;
  }
  return found;
}

const texts = new Map<string, string>();

/** The whole text of a document. The last one is kept, for the next word that is sought. */
export async function wholeText(document: string, signal: AbortSignal): Promise<string> {
  const known = texts.get(document);
  if (known !== undefined) return known;
  const { text } = await the(api.GET("/v1.0/documents/{document}/text", { params: { path: { document } }, signal }));
  texts.clear();
  texts.set(document, text);
  return text;
}

/** The page of a code point: each page is asked where it begins, halving what is left. */
export async function pageOfPoint(document: string, point: number, pages: number, signal: AbortSignal): Promise<number> {
  let low = 1;
  let high = pages;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const page = (await the(api.GET("/v1.0/documents/{document}/pages/{page}", { params: { path: { document, page: middle } }, signal }))) as Schemas["Page"];
    if (point < page.char_end) high = middle;
    else low = middle + 1;
  }
  return low;
}
