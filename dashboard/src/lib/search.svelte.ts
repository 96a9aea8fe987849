import type { Marker, Source } from "../api/chat";
import { ApiError } from "../api/client";
import { citationLine, searchStream, type Cited, type Query, type Result } from "../api/search";
import { markersIn } from "./markers";

/** A cited passage as the cards and badges of answers know it. */
export function sourceOf(c: Cited, result: Result | undefined): Source {
  return {
    index: c.number, document_id: c.document_id, document_name: c.document_name, score: c.confidence, excerpt: c.excerpt, chunk_id: c.chunk_id,
    chunk_index: result?.chunk_index ?? 0, char_start: c.char_start, char_end: c.char_end,
    ...(c.also_in ? { also_in: c.also_in } : {}),
    citation: result ? citationLine(result) : "",
    ...(c.page_number === null ? {} : { page_number: c.page_number }), ...(c.section_header === null ? {} : { section_header: c.section_header }),
  };
}

/** One search: what it asks, and what has come of it. */
export class Search {
  answer = $state("");
  cited = $state.raw<Cited[]>([]);
  results = $state.raw<Result[]>([]);
  state = $state<"searching" | "writing" | "done">("searching");
  level = $state("");
  message = $state("");
  warnings = $state.raw<string[]>([]);
  /** The model failed; the passages are there. */
  unanswered = $state(false);
  lost = $state(false);
  took = $state(0);
  error = $state.raw<ApiError>();
  readonly markers: Marker[] = $derived(markersIn(this.answer, (n) => this.cited.some((c) => c.number === n)));
  readonly sources: Source[] = $derived(this.cited.map((c) => sourceOf(c, this.results.find((r) => r.chunk_id === c.chunk_id))).sort((a, b) => a.index - b.index));
  private readonly control = new AbortController();
  private waiting = ""; // text until the next frame of the screen
  private frame = 0;

  get writing(): boolean {
    return this.state === "writing";
  }

  async run(body: Query): Promise<void> {
    const began = performance.now();
    const { signal } = this.control;
    const flush = (): void => {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      this.answer += this.waiting;
      this.waiting = "";
    };
    try {
      await searchStream(body, signal, {
        text: (piece) => {
          this.state = "writing";
          this.lost = false;
          this.waiting += piece;
          this.frame ||= requestAnimationFrame(flush);
        },
        citation: (c) => {
          flush();
          this.cited = [...this.cited, c];
        },
        done: (end) => {
          this.results = end.results;
          this.unanswered = end.type === "error";
          if (this.unanswered) this.forgetAnswer();
          this.level = end.confidence_level ?? "";
          this.message = end.message ?? "";
          this.warnings = end.warnings ?? [];
        },
        lost: () => {
          this.lost = true;
        },
      });
    } catch (error) {
      if (signal.aborted) return;
      this.error = error instanceof ApiError ? error : new ApiError(0, "interrupted", String(error));
    }
    flush();
    this.lost = false;
    this.took = performance.now() - began;
    this.state = "done";
  }

  // What was written of an answer that failed is no answer.
  private forgetAnswer(): void {
    this.answer = "";
    this.waiting = "";
    this.cited = [];
  }

  stop(): void {
    this.control.abort();
  }
}
