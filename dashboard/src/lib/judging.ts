import type { Marker, Source } from "../api/chat";

// People judge the markers of an answer; the server keeps one result for each source.

export type Result = "confirmed" | "rejected";

/** What people say of markers, by their index in the answer: whether the source says so. */
export type Judged = Record<number, boolean>;

/** The number of the source that a marker is checked against. */
export function sourceOf(marker: Marker | undefined): number | undefined {
  return marker?.quote?.index ?? marker?.indices[0];
}

/** The indices of the markers that can be checked: those that have a source. */
export function checkable(markers: readonly Marker[], sources: readonly Source[]): number[] {
  const known = new Set(sources.map((s) => s.index));
  return markers.flatMap((m, i) => (known.has(sourceOf(m) ?? 0) ? [i] : []));
}

/** The worst of what is said of a source's markers. It is confirmed only when all of them are. */
export function resultOf(markers: readonly Marker[], judged: Judged, source: number): Result | undefined {
  const said = markers.flatMap((m, i) => (sourceOf(m) === source ? [judged[i]] : []));
  if (said.includes(false)) return "rejected";
  return said.length > 0 && !said.includes(undefined) ? "confirmed" : undefined;
}
