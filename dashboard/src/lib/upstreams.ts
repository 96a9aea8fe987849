import { ask, chatBody } from "../api/chat";
import { all, api, the, type Schemas } from "../api/client";
import type { Known } from "./assistants.svelte";
import { unique } from "./unique";

export type Upstream = Schemas["Upstream"];
export type Breaker = Schemas["Breaker"];

/** Servers that speak OpenAI's API, and where they usually are. */
export const kinds: [string, string][] = [
  ["OpenAI", "https://api.openai.com/v1"], ["Ollama", "http://127.0.0.1:11434/v1"], ["LM Studio", "http://127.0.0.1:1234/v1"], ["llama.cpp", "http://127.0.0.1:8081/v1"],
  ["vLLM", "http://127.0.0.1:8000/v1"], ["Azure OpenAI", "https://NAME.openai.azure.com/openai/v1"], ["Anthropic", "https://api.anthropic.com/v1"], ["…", ""],
];

/** All stored model servers. */
export async function listUpstreams(signal?: AbortSignal): Promise<Upstream[]> {
  return all((cursor) => the(api.GET("/v1.0/upstreams", { params: { query: { limit: 1000, ...(cursor ? { cursor } : {}) } }, ...(signal ? { signal } : {}) })));
}

/** A name like this one that no stored server has. */
export async function freeName(wanted: string): Promise<string> {
  const taken = new Set((await listUpstreams()).map((u) => u.name.toLowerCase()));
  let name = wanted;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wanted} ${n}`;
  return name;
}

/** What the name of a server is shown as: settings may name one by its id. */
export function nameOf(setting: string, known: Upstream[]): string {
  return known.find((u) => u.id === setting)?.name ?? setting;
}

/** What a server answers through an assistant to a small question that is not stored. */
export async function answerOf(slug: string, upstream: string): Promise<string> {
  let said = "";
  const body = chatBody(slug, [{ role: "user", content: "Say hello." }], { settings: { upstream, model: null, upstream_fallbacks: [], enable_rag: false, enable_citations: false } });
  const nothing = (): void => undefined;
  await ask(slug, body, { thread: unique(), trial: true }, AbortSignal.timeout(120_000), { text: (piece) => { said += piece; }, marker: nothing, end: nothing, debug: nothing, frame: nothing });
  return said.trim();
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
