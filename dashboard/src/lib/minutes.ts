import type { Schemas } from "../api/client";

export type Minute = Schemas["UsageStep"];

/** Some numbers of each minute that are drawn together. kind is how they look. */
export interface Series {
  name: string;
  kind: "good" | "plain" | "warn" | "bad";
  values: (number | null)[];
}

export interface SeriesNames {
  ok: string;
  refused: string;
  failed: string;
  interrupted: string;
  cited: string;
  none: string;
  no_sources: string;
  unavailable: string;
  mean: string;
  max: string;
}

/** The chats by how they ended. */
export function requestSeries(minutes: Minute[], names: SeriesNames): Series[] {
  return [
    { name: names.ok, kind: "good", values: minutes.map((m) => Math.max(0, m.requests - m.refused - m.failed - m.interrupted)) },
    { name: names.interrupted, kind: "plain", values: minutes.map((m) => m.interrupted) },
    { name: names.refused, kind: "warn", values: minutes.map((m) => m.refused) },
    { name: names.failed, kind: "bad", values: minutes.map((m) => m.failed) },
  ];
}

/** The answers by the status of their citations. */
export function citationSeries(minutes: Minute[], names: SeriesNames): Series[] {
  return [
    { name: names.cited, kind: "good", values: minutes.map((m) => m.citations.cited) },
    { name: names.none, kind: "warn", values: minutes.map((m) => m.citations.none) },
    { name: names.no_sources, kind: "plain", values: minutes.map((m) => m.citations.no_sources) },
    { name: names.unavailable, kind: "bad", values: minutes.map((m) => m.citations.unavailable) },
  ];
}

/** Milliseconds to the first byte; null in minutes in which no answer began. */
export function firstByteSeries(minutes: Minute[], names: SeriesNames): Series[] {
  return [
    { name: names.max, kind: "plain", values: minutes.map((m) => m.first_byte_ms.max) },
    { name: names.mean, kind: "good", values: minutes.map((m) => m.first_byte_ms.mean) },
  ];
}

/** The end of an axis that shows values up to most: a round number that can be halved. */
export function axisEnd(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  return (([1, 2, 4, 6, 8, 10].find((n) => n * power >= most) ?? 10) * power);
}

/** The heights at which stacked values begin and end, by minute. */
export function stacked(series: Series[], minute: number): [number, number][] {
  let at = 0;
  return series.map((s) => {
    const begin = at;
    at += s.values[minute] ?? 0;
    return [begin, at];
  });
}

/** Where lines are drawn: runs of minutes that have a value. */
export function runsOf(values: (number | null)[]): [number, number][][] {
  const runs: [number, number][][] = [];
  let run: [number, number][] = [];
  values.forEach((value, i) => {
    if (value === null) {
      if (run.length > 0) runs.push(run);
      run = [];
    } else run.push([i, value]);
  });
  return run.length > 0 ? [...runs, run] : runs;
}
