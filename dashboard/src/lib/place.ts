import type { Place } from "../parts/viewer.svelte";

/** The part of a document that an address' query names. */
export function placeIn(search: string): Place | undefined {
  const query = new URLSearchParams(search);
  const document = query.get("document");
  if (!document) return undefined;
  const [start = 0, end = start] = (/^(\d+)-(\d+)$/.exec(query.get("highlight") ?? "") ?? []).slice(1).map(Number);
  return { document, name: query.get("name") ?? document, page: Number(query.get("page") ?? "") || undefined, start, end };
}

/** The query that names a part of a document. */
export function placeQuery(place: Place | undefined): string {
  if (!place) return "";
  const { document, name, page, start, end } = place;
  return String(new URLSearchParams({ document, name, ...(page === undefined ? {} : { page: String(page) }), highlight: `${start}-${end}` }));
}

/** The values of an address' query for a part of a document; without one they are taken out. */
export function placeValues(place?: Place): Record<string, string | undefined> {
  return { document: undefined, name: undefined, page: undefined, highlight: undefined, ...Object.fromEntries(new URLSearchParams(placeQuery(place))) };
}
