import { t } from "../lib/strings";

/** Short notes at the foot of the page. One with an action stays ten seconds. */
export interface Toast {
  id: number;
  text: string;
  bad: boolean;
  action?: { label: string; run: () => void };
}

export const toasts = $state<Toast[]>([]);
let last = 0;

const places = $state<string[]>([]);

/** Names a place that can show the toasts: the page, and each dialog. Returns what takes it away. */
export function offer(place: string): () => void {
  places.push(place);
  return () => {
    places.splice(places.indexOf(place), 1);
  };
}

/** Whether the toasts are shown here: all but the newest dialog is inert. */
export function shownAt(place: string): boolean {
  return places.at(-1) === place;
}

export function dismiss(id: number): void {
  const i = toasts.findIndex((t) => t.id === id);
  if (i >= 0) toasts.splice(i, 1);
}

/** Says something. What is said again is not said twice. */
export function say(text: string, options: { bad?: boolean; action?: Toast["action"] } = {}): number {
  const id = ++last;
  const before = toasts.find((t) => t.text === text && !t.action && !options.action);
  if (before) dismiss(before.id);
  toasts.push({ id, text, bad: options.bad ?? false, ...(options.action ? { action: options.action } : {}) });
  setTimeout(() => {
    dismiss(id);
  }, options.action || options.bad ? 10_000 : 4_000);
  return id;
}

export async function copy(text: string, said: string): Promise<void> {
  try {
    if ("clipboard" in navigator) await navigator.clipboard.writeText(text);
    else copySelected(text);
    say(said);
  } catch {
    say(t.common.notCopied, { bad: true }); // the browser does not allow it here
  }
}

/** Copies as browsers do on plain http, where a page has no clipboard: what is selected. */
function copySelected(text: string): void {
  const area = document.createElement("textarea");
  const before = document.activeElement;
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area); // all else is inert under a dialog
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!copied) throw new Error("the browser refuses to copy");
}
