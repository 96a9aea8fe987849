import type { Schemas } from "../api/client";
import { snippets } from "./snippets";

export type Key = Schemas["Key"];
export type Scope = Schemas["Scope"];
export type LimitName = keyof Schemas["Limits"];
export type LimitTexts = Partial<Record<LimitName, string>>;
export const scopes: readonly Scope[] = ["chat", "search", "admin"];
export const limitNames: readonly LimitName[] = [
  "requests_per_minute", "tokens_per_minute", "concurrent_streams", "searches_per_minute", "uploads_per_minute", "requests_per_month", "tokens_per_month",
];
export const states = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof states)[number];

/** The audit log's name of the key in the server's configuration. */
export const configuredKey = "key_configured_admin";

export function stateOf(key: Key, now = Date.now()): KeyState {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && new Date(key.expires_at).getTime() <= now ? "expired" : "active";
}

/** What a key may be used with at once, by the name of the program. slug: an assistant it may ask. */
export function snippetsFor(scopes: readonly Scope[], origin: string, slug: string, key: string): [string, string][] {
  if (scopes.includes("chat") && slug) return snippets(`${origin}/v1`, slug, key);
  if (scopes.includes("search")) {
    return [["curl", `curl ${origin}/v1/search \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"query": "What do the documents say?"}'`]];
  }
  const path = scopes.includes("admin") ? "/v1.0/status" : "/v1/models";
  return [["curl", `curl ${origin}${path} \\
  -H "Authorization: Bearer ${key}"`]];
}

/** When a key expires that lives for some days; null: never. */
export function expiryAfter(days: number, now = Date.now()): string | null {
  return days > 0 ? new Date(now + days * 86_400_000).toISOString() : null;
}

/** The limits of a form: texts by name, of which the empty ones have the value given for them. */
export function limitsOf<T>(texts: LimitTexts, empty: T): Partial<Record<LimitName, number | T>> {
  const limits: Partial<Record<LimitName, number | T>> = {};
  for (const name of limitNames) {
    const text = (texts[name] ?? "").trim();
    limits[name] = text === "" ? empty : Number(text);
  }
  return limits;
}
