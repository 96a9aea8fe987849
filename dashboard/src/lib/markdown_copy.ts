import type { Turn } from "./conversation.svelte";
import { unitOf } from "./codepoints";
import { placeOf } from "./cited";

/** An answer as Markdown whose markers are footnotes: "27 days[^1]", and what they are below. */
export function asMarkdown(turn: Turn): string {
  let out = "";
  let unit = 0;
  let point = 0;
  const used = new Set<number>();
  for (const m of turn.markers) {
    if (m.choice !== 0 || m.start < point || m.indices.length === 0) continue; // one without a source stays as it was written
    const start = unitOf(turn.answer, m.start - point, unit);
    out += turn.answer.slice(unit, start).trimEnd() + m.indices.map((n) => `[^${n}]`).join("") + (m.invalid ?? []).map((n) => `[${n}]`).join("");
    for (const n of m.indices) used.add(n);
    unit = unitOf(turn.answer, m.end - m.start, start);
    point = m.end;
  }
  out += turn.answer.slice(unit);
  const notes = (turn.citations?.sources ?? []).filter((s) => used.has(s.index)).map((s) => `[^${s.index}]: ${placeOf(s).replaceAll("\n", " ")}`);
  return notes.length > 0 ? `${out.trimEnd()}\n\n${notes.join("\n")}\n` : out;
}
