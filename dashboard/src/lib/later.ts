import { say } from "../parts/toasts.svelte";
import { t } from "./strings";

/**
 * Deletes something in ten seconds, unless the person takes it back until then. restore
 * shows it again, after that or after a failure.
 */
export function deleteLater(said: string, restore: () => void, run: () => Promise<unknown>): void {
  let undone = false;
  say(said, { action: { label: t.common.undo, run: () => { undone = true; restore(); } } });
  setTimeout(() => {
    if (undone) return;
    run().catch((error: unknown) => {
      restore();
      say(error instanceof Error ? error.message : "", { bad: true });
    });
  }, 10_000);
}
