import { ApiError, refusalOf, send, type Schemas } from "./client";
import { eventsOf } from "./sse";

export type Citations = Schemas["Citations"];
export type Marker = Schemas["Marker"];
export type Span = Schemas["Span"];
export type Source = Schemas["Source"];
export type Retrieval = Schemas["Retrieval"];
export type Debug = Schemas["Debug"];
export interface Message {
  role: "user" | "assistant";
  content: string;
}

/** A frame as it arrived, and when, in milliseconds after the request. */
export interface Frame {
  at: number;
  data: string;
}

/** What a reader of an answer is told while it arrives. */
export interface Listener {
  text(piece: string): void;
  /** A marker with its sources. */
  marker(marker: Marker, sources: readonly Source[]): void;
  end(citations: Citations | undefined, retrieval: Retrieval | undefined): void;
  /** What the model was sent, for admins. */
  debug(debug: Debug): void;
  frame(frame: Frame): void;
}

/** What one chunk of a stream may have. All of it comes from a model server. */
interface Chunk {
  choices?: { index?: number; delta?: { content?: string | null } }[];
  citation?: Marker & { sources?: Source[] };
  citations?: Citations | string[]; // in some formats they are addresses
  retrieval?: Retrieval;
  debug?: Debug;
  error?: { message?: string; code?: string | null };
}

/** Options for one question. */
export interface AskOptions {
  model?: string;
  top_k?: number;
  labels?: string[];
  format?: string;
  /** Whether the answer says what the model was sent; only an admin may ask for that. */
  debug?: boolean;
  /** Settings that replace some of the assistant's; also for admins. */
  settings?: Record<string, unknown>;
}

/** The format of citations that the dashboard reads. */
export const ownFormat = "native";

export function chatBody(slug: string, messages: Message[], options: AskOptions): object {
  return {
    model: options.model || slug,
    messages,
    stream: true,
    citation_options: { events: true, uncited: true },
    ...(options.top_k === undefined ? {} : { retrieval_options: { top_k: options.top_k } }),
    ...(options.labels?.length ? { metadata_filter: { required_labels: options.labels } } : {}),
    ...(options.debug || options.settings ? { debug_options: { ...(options.debug ? { request: true } : {}), ...(options.settings ? { settings: options.settings } : {}) } } : {}),
  };
}

/** What goes with a question besides its body. */
export interface Asking {
  thread: string;
  format?: string | undefined;
  /** The answer is not to be stored. */
  trial?: boolean;
}

/** Asks an assistant. It returns the id of the stored answer, "" if none is stored. */
export async function ask(slug: string, body: object, asking: Asking, signal: AbortSignal, listener: Listener): Promise<string> {
  const begin = performance.now();
  const answer = await send(
    new Request("/v1/chat/completions", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Footnote-Assistant": slug, "X-Footnote-Citation-Format": asking.format || ownFormat, "X-Thread-Id": asking.thread, ...(asking.trial ? { "X-Footnote-History": "off" } : {}) },
      body: JSON.stringify(body),
      signal,
    }),
  );
  if (!answer.ok) throw refusalOf(answer, await answer.json().catch(() => undefined));
  let ended = false;
  for await (const { data } of eventsOf(answer)) {
    listener.frame({ at: performance.now() - begin, data });
    if (data === "[DONE]") {
      ended = true;
      continue;
    }
    tell(listener, JSON.parse(data) as Chunk);
  }
  if (!ended) throw new ApiError(0, "interrupted", "");
  return answer.headers.get("X-Footnote-Answer") ?? "";
}

function tell(listener: Listener, chunk: Chunk): void {
  if (chunk.error) throw new ApiError(0, chunk.error.code ?? "", chunk.error.message ?? "");
  const piece = chunk.choices?.find((c) => (c.index ?? 0) === 0)?.delta?.content;
  if (piece) listener.text(piece);
  if (chunk.citation) listener.marker(chunk.citation, chunk.citation.sources ?? []);
  if (chunk.debug) listener.debug(chunk.debug);
  const citations = Array.isArray(chunk.citations) ? undefined : chunk.citations;
  if (citations || chunk.retrieval) listener.end(citations, chunk.retrieval);
}
