/**
 * A name of others within a sentence of ours. It has a direction of its own, so that it
 * turns nothing around; what would end that, or override it, is left out.
 */
export function isolated(name: string): string {
  return `\u2068${name.replace(/[\u202A-\u202E\u2066-\u2069]/g, "")}\u2069`;
}
