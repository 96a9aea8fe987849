import { ask, chatBody, type AskOptions, type Asking, type Citations, type Debug, type Frame, type Marker, type Message, type Retrieval, type Source } from "../api/chat";
import { ApiError } from "../api/client";
import { onSessionEnd } from "../api/session.svelte";
import type { Judged, Result } from "./judging";
import { unique } from "./unique";

/** A question and its answer. */
export class Turn {
  question: string;
  answer = $state("");
  markers = $state.raw<Marker[]>([]);
  citations = $state.raw<Citations>();
  retrieval = $state.raw<Retrieval>();
  error = $state.raw<ApiError>();
  writing = $state(false);
  /** The person stopped it before its end. */
  stopped = $state(false);
  answerID = $state("");
  /** What was sent and received; kept for the newest answers only. */
  request: object = {};
  options: AskOptions = {};
  debug = $state.raw<Debug>();
  frames: Frame[] = [];
  /** What the person said of markers, and what the server knows of their sources. */
  judged = $state<Judged>({});
  results = $state<Record<number, Result>>({});
  /** The sources that came with markers, until all are known. */
  private early = $state.raw<Source[]>([]);

  constructor(question: string) {
    this.question = question;
  }

  get sources(): Source[] {
    return this.citations?.sources ?? this.early;
  }

  addMarker(marker: Marker, sources: readonly Source[]): void {
    this.markers = [...this.markers, marker];
    this.early = [...this.early, ...sources.filter((s) => !this.early.some((known) => known.index === s.index))];
  }

  /** What is kept of it over a reload, which interrupts what is being written. */
  store(): Stored {
    const { question, answer, citations, retrieval, answerID, stopped, judged, results, markers, early } = this;
    const error = this.writing ? { status: 0, code: "interrupted", message: "" } : this.error && { status: this.error.status, code: this.error.code, message: this.error.message };
    return { question, answer, citations, retrieval, answerID, stopped, judged: { ...judged }, results: { ...results }, error, ...(citations ? {} : { markers, early }) };
  }

  static of(s: Stored): Turn {
    const turn = new Turn(s.question);
    const { error, early, ...rest } = s;
    Object.assign(turn, rest);
    turn.markers = s.citations?.markers ?? s.markers ?? [];
    turn.early = early ?? [];
    turn.error = error && new ApiError(error.status, error.code, error.message);
    return turn;
  }
}

interface Stored extends Pick<Turn, "question" | "answer" | "citations" | "retrieval" | "answerID" | "stopped" | "judged" | "results"> {
  error: { status: number; code: string; message: string } | undefined;
  markers?: Marker[];
  early?: Source[];
}

const keptFrames = 3;
const keptTurns = 200;

/** Sends the request of a turn, and fills the turn with the answer as it comes. */
export async function answer(turn: Turn, slug: string, asking: Asking, signal: AbortSignal): Promise<void> {
  turn.writing = true;
  let waiting = "";
  let frame = 0;
  const flush = (): void => {
    cancelAnimationFrame(frame);
    frame = 0;
    turn.answer += waiting;
    waiting = "";
  };
  try {
    turn.answerID = await ask(slug, turn.request, asking, signal, {
      text: (piece) => {
        waiting += piece;
        frame ||= requestAnimationFrame(flush);
      },
      marker: (marker, sources) => {
        flush();
        turn.addMarker(marker, sources);
      },
      end: (citations, retrieval) => {
        flush();
        if (citations) {
          turn.citations = citations;
          turn.markers = citations.markers ?? [];
        }
        if (retrieval) turn.retrieval = retrieval;
      },
      debug: (debug) => {
        turn.debug = debug;
      },
      frame: (f) => turn.frames.push(f),
    });
  } catch (error) {
    if (signal.aborted) turn.stopped = true;
    else turn.error = error instanceof ApiError ? error : new ApiError(0, "interrupted", String(error));
  }
  flush();
  turn.writing = false;
}

/** A conversation with one assistant. It survives a reload of the page. */
export class Conversation {
  turns = $state<Turn[]>([]);
  readonly slug: string;
  private thread: string = unique();
  private control: AbortController | undefined;

  constructor(slug: string) {
    this.slug = slug;
    const stored = sessionStorage.getItem(this.name);
    if (stored === null) return;
    const { thread, turns } = JSON.parse(stored) as { thread: string; turns: Stored[] };
    this.thread = thread;
    this.turns = turns.map((s) => Turn.of(s));
  }

  private get name(): string {
    return `footnote.chat.${this.slug}`;
  }

  get writing(): boolean {
    return this.turns.at(-1)?.writing ?? false;
  }

  /** Asks a question. It replaces the turn `at` and what comes after it, if that is given. */
  async ask(question: string, options: AskOptions = {}, at = this.turns.length): Promise<void> {
    this.stop();
    const before = this.turns.slice(0, at).slice(1 - keptTurns);
    this.turns = [...before, new Turn(question)];
    const turn = this.turns[before.length] as Turn; // the state's own, whose changes are seen
    const messages = before.filter((t) => t.answer).flatMap((t): Message[] => [{ role: "user", content: t.question }, { role: "assistant", content: t.answer }]);
    turn.options = options;
    turn.request = chatBody(this.slug, [...messages, { role: "user", content: question }], options);
    const control = (this.control = new AbortController());
    await answer(turn, this.slug, { thread: this.thread, format: options.format }, control.signal);
    if (this.turns.includes(turn)) this.keep();
  }

  stop(): void {
    this.control?.abort();
    this.control = undefined;
  }

  clear(): void {
    this.stop();
    this.turns = [];
    this.thread = unique();
    sessionStorage.removeItem(this.name);
  }

  /** Forgets what an earlier person asked. What is being asked is asked anew if the work goes on. */
  end(goesOn: boolean): void {
    const last = this.writing ? this.turns.at(-1) : undefined;
    this.clear();
    if (last && goesOn) void this.ask(last.question, last.options);
  }

  /** Keeps it for the time after a reload. */
  keep(): void {
    for (const turn of this.turns.slice(0, -keptFrames)) {
      turn.frames = [];
      turn.debug = undefined;
    }
    const turns = this.turns.slice(-keptTurns).map((t) => t.store());
    try {
      sessionStorage.setItem(this.name, JSON.stringify({ thread: this.thread, turns }));
    } catch {
      sessionStorage.removeItem(this.name); // it is too long to be kept over a reload
    }
  }
}

const open = new Map<string, Conversation>();

/** The conversation with an assistant; the same one until the page is loaded again. */
export function conversationWith(slug: string): Conversation {
  let found = open.get(slug);
  if (!found) open.set(slug, (found = new Conversation(slug)));
  return found;
}

onSessionEnd((goesOn) => {
  for (const talk of open.values()) talk.end(goesOn);
});
window.addEventListener("pagehide", () => {
  for (const talk of open.values()) if (talk.writing) talk.keep();
});
