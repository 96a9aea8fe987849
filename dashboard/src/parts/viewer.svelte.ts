import { api, send, refusalOf, the, ApiError, type Schemas } from "../api/client";
import { download as save } from "../lib/download";

/** The part of a document that the viewer shows. */
export interface Place {
  document: string;
  name: string;
  page: number | undefined;
  start: number;
  end: number;
}

/** A text around a passage: what is before it, the passage, what is after it. */
export interface Excerpt {
  before: string;
  marked: string;
  after: string;
  start: number;
  end: number;
  total: number;
}

/** The text of a document around its code points start to end. */
export async function excerpt(place: Place, before: number, after: number, signal: AbortSignal): Promise<Excerpt> {
  const from = Math.max(0, place.start - before);
  const text = await the(
    api.GET("/v1.0/documents/{document}/text", { params: { path: { document: place.document }, query: { start: from, end: place.end + after } }, signal }),
  );
  return cut(text.text, text.start, text.end, text.total, place);
}

/** The text of a page, if the document has pages. */
export async function pageText(place: Place, page: number, signal: AbortSignal): Promise<Excerpt> {
  const text = (await the(api.GET("/v1.0/documents/{document}/pages/{page}", { params: { path: { document: place.document, page } }, signal }))) as Schemas["Page"];
  return cut(text.text, text.char_start, text.char_end, 0, place);
}

function cut(text: string, start: number, end: number, total: number, place: Place): Excerpt {
  const points = Array.from(text);
  const a = Math.min(Math.max(place.start - start, 0), points.length);
  const b = Math.min(Math.max(place.end - start, a), points.length);
  return { before: points.slice(0, a).join(""), marked: points.slice(a, b).join(""), after: points.slice(b).join(""), start, end, total };
}

/** The picture of a page with the passage marked. undefined: pages of this document have no picture. */
export async function picture(place: Place, page: number, width: number, signal: AbortSignal): Promise<ImageBitmap | undefined> {
  const query = new URLSearchParams({ format: "png", width: String(width) });
  if (place.end > place.start) query.set("highlight", `${place.start}-${place.end}`);
  const answer = await send(new Request(`/v1.0/documents/${encodeURIComponent(place.document)}/pages/${page}?${query}`, { signal }));
  if (answer.ok) return createImageBitmap(await answer.blob());
  const refused = refusalOf(answer, await answer.json().catch(() => undefined));
  if (refused.status === 422 || refused.status === 400) return undefined;
  throw refused;
}

/** How many pages a document has; 0 if it has none. A key that may not see the document's row reads it of a page. */
export async function pagesOf(document: string, page: number | undefined, signal: AbortSignal): Promise<number> {
  try {
    return (await the(api.GET("/v1.0/documents/{document}", { params: { path: { document } }, signal }))).pages;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    return page === undefined ? 0 : ((await the(api.GET("/v1.0/documents/{document}/pages/{page}", { params: { path: { document, page } }, signal }))) as Schemas["Page"]).pages;
  }
}

/** Saves a document as a file. */
export function download(document: string, name: string): Promise<void> {
  return save(`/v1.0/documents/${encodeURIComponent(document)}/download`, name);
}
