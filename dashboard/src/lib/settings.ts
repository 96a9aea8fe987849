import { api, the, type Schemas } from "../api/client";

export type Setting = Schemas["Setting"];
export type Values = Record<string, unknown>;

/** The server's table of all settings, which says their defaults and what they may be. For admins. */
export async function settingsTable(signal: AbortSignal): Promise<Setting[]> {
  return (await the(api.GET("/v1.0/defaults", { signal }))).data as Setting[];
}

// Where a setting stands. What the server knows and this does not, stands under Advanced.
const groups: Record<string, string[]> = {
  model: ["system_prompt", "upstream", "model", "upstream_fallbacks", "allow_model_override", "temperature", "top_p", "max_tokens", "context_window"],
  retrieval: [
    "enable_rag", "search_mode", "text_weight", "retrieval_top_k", "retrieval_score_threshold", "context_top_k", "max_sources_per_document", "retrieval_include_neighbors",
    "collections", "synonyms", "synonym_packs", "retrieval_label_filter", "retrieval_tag_filter", "on_retrieval_error",
  ],
  citations: [
    "enable_citations", "citation_format", "citation_numbering", "citation_renumber", "marker_mode", "history_markers", "citation_prompt", "support_check", "confidence_similarity",
    "no_sources_policy", "no_marker_policy", "orphan_policy", "unknown_document_policy", "citation_offset_unit",
  ],
  links: ["citation_link_mode", "citation_link_ttl_seconds", "citation_link_delivery"],
  access: ["public_access", "store_history", "history_retention_days", "requests_per_minute", "tokens_per_minute", "concurrent_streams", "searches_per_minute", "uploads_per_minute", "requests_per_month", "tokens_per_month"],
};

export interface Group {
  name: string;
  settings: Setting[];
}

export function grouped(settings: Setting[]): Group[] {
  const placed = new Set(Object.values(groups).flat());
  const byName = new Map(settings.map((s) => [s.name, s]));
  const known = Object.entries(groups).map(([name, names]) => ({ name, settings: names.map((n) => byName.get(n)).filter((s) => s !== undefined) }));
  return [...known, { name: "advanced", settings: settings.filter((s) => !placed.has(s.name)) }];
}

export type Kind = "switch" | "choice" | "several" | "number" | "text" | "long" | "lines" | "json";

/** How a setting is entered. null as the default says nothing, so the range decides, then the name. */
export function kindOf(s: Setting): Kind {
  if (Array.isArray(s.default) && s.allowed) return "several";
  if (s.name === "synonyms") return "lines";
  if (s.allowed) return "choice";
  if (typeof s.default === "boolean") return "switch";
  if (typeof s.default === "number" || s.min !== undefined || s.max !== undefined) return "number";
  if (typeof s.default === "object" && s.default !== null) return "json";
  if (s.name.endsWith("_filter")) return "json";
  return s.name.includes("prompt") ? "long" : "text";
}

/** The lines of a list that was typed or read from a file, without empty ones and comments. */
export function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, "").split(/\r?\n/).map((l) => l.trim()).filter((l) => l !== "" && !l.startsWith("#"));
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** What a setting has no effect without, if that is off. */
export function missing(name: string, values: Values): string | undefined {
  const citations = [...(groups["citations"] ?? []), ...(groups["links"] ?? [])];
  if (name !== "enable_rag" && (groups["retrieval"]?.includes(name) || citations.includes(name)) && values["enable_rag"] === false) return "enable_rag";
  if (name !== "enable_citations" && citations.includes(name) && values["enable_citations"] === false) return "enable_citations";
  if (name === "history_retention_days" && values["store_history"] === false) return "store_history";
  return undefined;
}
