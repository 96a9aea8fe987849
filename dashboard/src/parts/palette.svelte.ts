import type { Component } from "svelte";
import { signIn } from "../api/session.svelte";
import type { Known } from "../lib/assistants.svelte";
import { t } from "../lib/strings";
import { say } from "./toasts.svelte";

interface Props { assistants: Known[]; current: Known | undefined; admin: boolean }

/** Whether the palette is open. It is opened from anywhere, by Ctrl+K or by a button, and loaded when it is first. */
export const palette = $state({ open: false });
export const paletteKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

let part = $state.raw<Component<Props>>();

/** The palette, once it is loaded. */
export function loadedPalette(): Component<Props> | undefined {
  return part;
}

export async function openPalette(): Promise<void> {
  try {
    part ??= (await import("./Palette.svelte")).default;
    palette.open = true;
  } catch {
    say(t.problem.unreachable, { bad: true });
  }
}

/** Opens and closes the palette by its keys. */
export function onPaletteKey(e: KeyboardEvent): void {
  if (e.key.toLowerCase() !== "k" || !(e.metaKey || e.ctrlKey) || e.altKey || e.shiftKey || signIn.open) return;
  e.preventDefault();
  if (palette.open) palette.open = false;
  else void openPalette();
}
