import { length } from "./codepoints";

/** A place in a document's text, in code points. */
export interface Mention {
  start: number;
  end: number;
}

const most = 1000;

/** Where a text has some words, in any case and across line ends. */
export function mentions(text: string, words: string): Mention[] {
  const parts = words.trim().split(/\s+/).filter(Boolean).map((w) => w.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
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
