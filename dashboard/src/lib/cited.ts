import { getContext, setContext } from "svelte";
import type { Citations, Marker, Source } from "../api/chat";
import { t } from "./strings";

/** What a badge and a card of an answer can do. */
export interface Opener {
  source(index: number): Source | undefined;
  /** The marker that the viewer shows, or the source. */
  shows(marker: Marker | undefined, index: number): boolean;
  open(source: Source, marker?: Marker): void;
  /** What the person said of a marker, where markers are judged. */
  judged?(marker: Marker): boolean | undefined;
}

const key = Symbol("opener");

export function provideOpener(opener: Opener): void {
  setContext(key, opener);
}

export function opener(): Opener {
  return getContext<Opener>(key);
}

/** Where a source is, in words: "employee-handbook.pdf, page 4". */
export function placeOf(s: Source): string {
  return [s.document_name, pageOf(s)].filter(Boolean).join(", ");
}

export function pageOf(s: Source): string {
  if (s.page_number === undefined) return "";
  return s.page_end !== undefined && s.page_end > s.page_number ? t.chat.pages(s.page_number, s.page_end) : t.chat.page(s.page_number);
}

/** What a viewer marks: the quote of a marker, or the whole passage. */
export function spanOf(s: Source, marker?: Marker): { start: number; end: number; page: number | undefined } {
  const quote = marker?.quote;
  if (quote?.index === s.index) return { start: quote.char_start, end: quote.char_end, page: quote.page_number ?? s.page_number };
  return { start: s.char_start, end: s.char_end, page: s.page_number };
}

/** The sources that an answer cites, those of one document together, in their order. */
export function cardsOf(sources: readonly Source[], shown: (s: Source) => boolean): Source[][] {
  const cards = new Map<string, Source[]>();
  for (const s of sources.filter(shown)) {
    const card = cards.get(s.document_id);
    if (card) card.push(s);
    else cards.set(s.document_id, [s]);
  }
  return [...cards.values()];
}

/** The worst support that the markers of a source have. */
export function supportOf(citations: Pick<Citations, "markers">, index: number): Marker["support"] {
  const found = (citations.markers ?? []).filter((m) => m.indices.includes(index)).map((m) => m.support);
  for (const worst of ["unsupported", "weak", "supported"] as const) if (found.includes(worst)) return worst;
  return undefined;
}
