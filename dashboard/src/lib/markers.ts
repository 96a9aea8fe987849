import type { Marker } from "../api/chat";
import { length } from "./codepoints";

const inBrackets = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;

/** The markers of an answer to a search. The server says which numbers it cites, not where. */
export function markersIn(answer: string, known: (n: number) => boolean): Marker[] {
  const markers: Marker[] = [];
  let unit = 0;
  let point = 0;
  for (const found of answer.matchAll(inBrackets)) {
    const indices = (found[1] ?? "").split(",").map(Number).filter(known);
    if (indices.length === 0) continue;
    point += length(answer.slice(unit, found.index));
    unit = found.index;
    markers.push({ choice: 0, start: point, end: point + found[0].length, indices, claim_start: 0, claim_end: point });
  }
  return markers;
}
