/** An id that nobody else has. crypto.randomUUID would do, but pages on plain http lack it. */
export function unique(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
