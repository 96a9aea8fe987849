import { say } from "../parts/toasts.svelte";
import { t } from "./strings";
import { wordsOf } from "./words";

// What is to be deleted soon. A page that is left does it at once.
const pending = new Set<() => void>();
window.addEventListener("pagehide", () => { for (const start of pending) start(); });

/**
 * Deletes something in ten seconds, unless the person takes it back until then. restore
 * shows it again, after that or after a failure. The requests of run must have keepalive,
 * so that they outlive the page.
 */
export function deleteLater(said: string, restore: () => void, run: () => Promise<unknown>): void {
  const stop = (): void => {
    pending.delete(start);
    clearTimeout(timer);
  };
  const start = (): void => {
    stop();
    run().catch((error: unknown) => {
      restore();
      say(wordsOf(error), { bad: true });
    });
  };
  const timer = setTimeout(start, 10_000);
  pending.add(start);
  say(said, { action: { label: t.common.undo, run: () => { stop(); restore(); } } });
}
