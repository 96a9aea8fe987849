import type { Schemas } from "../api/client";

/** The words for a document's state, with the pages read or the passages embedded so far. */
export function stateOf(d: Pick<Schemas["Document"], "status" | "progress">, words: Record<string, string>): string {
  const p = d.progress;
  const counts: Partial<Record<typeof d.status, [number | undefined, number | undefined]>> = { extracting: [p?.pages, p?.pages_total], embedding: [p?.chunks, p?.chunks_total] };
  const [done, total] = counts[d.status] ?? [];
  const state = words[d.status] ?? d.status;
  return total ? `${state} ${done ?? 0}/${total}` : state;
}
