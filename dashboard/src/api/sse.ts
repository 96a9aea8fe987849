/** An event of a stream, as the HTML standard names its fields. */
export interface ServerEvent {
  event: string;
  id: string;
  data: string;
}

/** Reads the events of a stream. Pieces may end anywhere, also within a line end. */
export class EventParser {
  private rest = "";
  private data: string[] = [];
  private event = "";
  private id = "";

  /** The events that are complete with this piece. */
  push(piece: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    this.rest += piece;
    for (;;) {
      const end = this.rest.search(/[\r\n]/);
      if (end < 0 || (this.rest[end] === "\r" && end === this.rest.length - 1)) return events;
      const length = this.rest.startsWith("\r\n", end) ? 2 : 1;
      const line = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + length);
      if (line !== "") this.field(line);
      else if (this.data.length > 0) events.push(this.take());
      else this.event = "";
    }
  }

  private take(): ServerEvent {
    const event = { event: this.event || "message", id: this.id, data: this.data.join("\n") };
    this.data = [];
    this.event = "";
    return event;
  }

  private field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.data.push(value);
    else if (name === "event") this.event = value;
    else if (name === "id" && !value.includes("\0")) this.id = value;
  }
}

/** The events of an answer, until it ends. */
export async function* eventsOf(answer: Response): AsyncGenerator<ServerEvent> {
  if (answer.body === null) return;
  const parser = new EventParser();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the stream may have failed already
  }
}
