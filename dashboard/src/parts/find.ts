import { api, the, type Schemas } from "../api/client";

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
