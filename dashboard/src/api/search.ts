import { api, ApiError, refusalOf, send, the, type Schemas } from "./client";
import { eventsOf } from "./sse";

export type Result = Schemas["SearchResult"];
export type Cited = Schemas["SearchCitation"];
export type Explanation = Schemas["SearchExplanation"];
export type Collection = Schemas["SearchableCollection"];

/** What a search asks for. */
export interface Query {
  query: string;
  collections: string[] | null;
  assistant: string | null;
}

/** The end of a search: what was found, and what the server says of its answer. */
export interface End {
  type: string; // "error": the model failed
  results: Result[];
  confidence_level?: string;
  message?: string;
  warnings?: string[];
}

/** What a reader of a search is told while it goes on. */
export interface SearchListener {
  text(piece: string): void;
  citation(c: Cited): void;
  done(end: End): void;
  /** The connection was lost, and is being made again. */
  lost(): void;
}

/** What an event of the stream may have. */
interface Event extends End {
  content?: string;
  data?: Cited;
}

const attempts = 4;

/** Searches with an answer. A connection that breaks is resumed where it was. */
export async function searchStream(body: Query, signal: AbortSignal, listener: SearchListener): Promise<void> {
  let last = "";
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await send(
        new Request("/v1/search", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) },
          body: JSON.stringify(body),
          signal,
        }),
      );
      if (!answer.ok) throw refusalOf(answer, await answer.json().catch(() => undefined));
      for await (const { id, data } of eventsOf(answer)) {
        if (id) last = id;
        if (tell(listener, JSON.parse(data) as Event)) return;
      }
    } catch (error) {
      const refused = error instanceof ApiError && error.code !== "unreachable";
      if (signal.aborted || refused || last === "" || attempt === attempts) throw error;
    }
    if (attempt === attempts) throw new ApiError(0, "interrupted", "");
    listener.lost();
    await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
  }
}

// tell reports whether the event was the last. Without an answer, an error still has the results.
function tell(listener: SearchListener, event: Event): boolean {
  if (event.type === "token") listener.text(event.content ?? "");
  else if (event.type === "citation" && event.data) listener.citation(event.data);
  else if (event.type === "error" && event.results.length === 0) throw new ApiError(0, "search_failed", event.message ?? "");
  else if (event.type === "done" || event.type === "error") listener.done(event);
  return event.type === "done" || event.type === "error";
}

/** Passages like another. */
export async function similarTo(chunk: string, collections: string[] | null, signal: AbortSignal): Promise<Result[]> {
  return (await the(api.POST("/v1/search/similar", { body: { chunk_id: chunk, collections, limit: 10 }, signal }))).results;
}

export async function explain(query: string, chunk: string, signal: AbortSignal): Promise<Explanation> {
  return the(api.POST("/v1/search/explain", { body: { query, chunk_id: chunk }, signal }));
}

export async function searchable(signal: AbortSignal): Promise<Collection[]> {
  return (await the(api.GET("/v1/search/collections", { signal }))).data;
}

/** A citation as the API writes them. */
export function citationLine(r: Pick<Result, "document_name" | "page_number" | "chunk_index">): string {
  return `(Source: ${r.document_name.replace(/\s+/g, " ").trim()}, page ${r.page_number ?? "N/A"}, chunk ${r.chunk_index})`;
}
