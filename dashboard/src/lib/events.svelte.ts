import { send, type Schemas } from "../api/client";
import { eventsOf } from "../api/sse";

type DocumentEvent = Schemas["EventDocument"];

/**
 * Follows what happens to documents until the component ends. After a lost connection
 * it goes on where it was; reset says that something may have been missed.
 */
export function followDocuments(change: (d: DocumentEvent) => void, reset: () => void): () => void {
  const control = new AbortController();
  void follow(control.signal, change, reset);
  return () => {
    control.abort();
  };
}

async function follow(signal: AbortSignal, change: (d: DocumentEvent) => void, reset: () => void): Promise<void> {
  let last = "";
  for (let pause = 500; !signal.aborted; pause = Math.min(2 * pause, 15_000)) {
    try {
      const answer = await send(new Request("/v1.0/events", { headers: last ? { "Last-Event-ID": last } : {}, signal }));
      if (answer.status === 403 || answer.status === 404) return; // this key may not follow
      for await (const { event, id, data } of eventsOf(answer)) {
        pause = 500;
        if (id) last = id;
        if (event === "document") change(JSON.parse(data) as DocumentEvent);
        if (event === "reset") reset();
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!last) reset();
  }
}
