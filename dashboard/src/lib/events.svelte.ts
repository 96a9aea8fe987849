import { send, type Schemas } from "../api/client";
import { eventsOf } from "../api/sse";

type DocumentEvent = Schemas["EventDocument"];

/** Whether the server cannot be reached, as far as those know who wait for it. */
export const connection = $state({ lost: false });

/** Whether the server answers at all. */
export async function isReachable(): Promise<boolean> {
  try {
    await fetch("/healthz", { cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}

/** Waits until the server answers again. */
export async function reconnected(): Promise<void> {
  for (let pause = 500; !(await isReachable()); pause = Math.min(2 * pause, 15_000)) await pauseOrOnline(pause);
  connection.lost = false;
}

// A computer without a network still reaches a server of its own.
window.addEventListener("offline", () => {
  void isReachable().then((reachable) => {
    if (reachable) return;
    connection.lost = true;
    void reconnected();
  });
});

// The system reports when the network is back. That a server is back must be asked.
function pauseOrOnline(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      window.removeEventListener("online", go);
      resolve();
    };
    const timer = setTimeout(go, milliseconds);
    window.addEventListener("online", go);
  });
}

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
  let again = false;
  for (let pause = 500; !signal.aborted; pause = Math.min(2 * pause, 15_000)) {
    try {
      const answer = await send(new Request("/v1.0/events", { headers: last ? { "Last-Event-ID": last } : {}, signal }));
      if (answer.status === 403 || answer.status === 404) return; // this key may not follow
      connection.lost = false;
      if (again && !last) reset();
      for await (const { event, id, data } of eventsOf(answer)) {
        pause = 500;
        if (id) last = id;
        if (event === "document") change(JSON.parse(data) as DocumentEvent);
        if (event === "reset") reset();
      }
    } catch {
      if (signal.aborted) return;
      connection.lost = true;
    }
    again = true;
    await pauseOrOnline(pause);
  }
}
