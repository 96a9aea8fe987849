/** The part of a text between two offsets that count code points, as the API does. */
export function slice(text: string, start: number, end: number): string {
  const from = unitOf(text, start);
  return text.slice(from, unitOf(text, end - start, from));
}

/** The UTF-16 index of a code point, counted from the index `from`. */
export function unitOf(text: string, points: number, from = 0): number {
  let unit = from;
  for (let n = 0; n < points && unit < text.length; n++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}

export function length(text: string): number {
  let n = 0;
  for (let unit = 0; unit < text.length; n++) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return n;
}
