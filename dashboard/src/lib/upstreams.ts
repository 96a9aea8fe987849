import type { Schemas } from "../api/client";
import type { Known } from "./assistants.svelte";

export type Upstream = Schemas["Upstream"];
export type Breaker = Schemas["Breaker"];

/** Servers that speak OpenAI's API, and where they usually are. */
export const kinds: [string, string][] = [
  ["OpenAI", "https://api.openai.com/v1"], ["Ollama", "http://127.0.0.1:11434/v1"], ["LM Studio", "http://127.0.0.1:1234/v1"], ["llama.cpp", "http://127.0.0.1:8081/v1"],
  ["vLLM", "http://127.0.0.1:8000/v1"], ["Azure OpenAI", "https://NAME.openai.azure.com/openai/v1"], ["Anthropic", "https://api.anthropic.com/v1"], ["…", ""],
];

/** What the name of a server is shown as: settings may name one by its id. */
export function nameOf(setting: string, known: Upstream[]): string {
  return known.find((u) => u.id === setting)?.name ?? setting;
}

/** The name of the answerer that needs no server. */
export const builtin = "builtin:extractive";

/** The assistants that ask a server first, and those that ask it when others fail. names: how settings may call it; null is the default. */
export function usersOf(assistants: Known[], names: (string | null)[]): { first: Known[]; fallback: Known[] } {
  const asks = (a: Known): boolean => a.settings !== undefined && names.includes(a.settings.upstream ?? null);
  const falls = (a: Known): boolean => a.settings?.upstream_fallbacks?.some((f) => names.includes(f.upstream)) ?? false;
  return { first: assistants.filter(asks), fallback: assistants.filter((a) => !asks(a) && falls(a)) };
}

/** Headers as lines of "Name: value", and back. A line without a colon has an empty value, which the server refuses. */
export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join("\n");
}

export function headersOf(lines: string): Record<string, string> | null {
  const headers = lines.split("\n").filter((line) => line.trim()).map((line): [string, string] => {
    const colon = line.indexOf(":");
    return colon < 0 ? [line.trim(), ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return headers.length > 0 ? Object.fromEntries(headers) : null;
}
