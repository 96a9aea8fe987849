import { api, the, type Schemas } from "../api/client";
import type { Known } from "../lib/assistants.svelte";
import { t } from "../lib/strings";

/** One thing to go to. */
export interface Item {
  group: "go" | "assistants" | "settings" | "documents" | "passages";
  label: string;
  note: string;
  address: string;
}

const most = 5; // of each group, so that all groups are in sight

/** What is found without asking the server: screens, assistants, settings. */
export function known(q: string, assistants: Known[], current: Known | undefined, admin: boolean, settings: Schemas["Setting"][]): Item[] {
  const fits = (...texts: string[]): boolean => texts.some((x) => x.toLowerCase().includes(q.toLowerCase()));
  const labels = { ...t.nav, history: t.history.title, eval: t.evaluation.title };
  const tabs = admin ? (["chat", "documents", "settings", "connect", "history", "eval"] as const) : (["chat", "connect"] as const);
  const ofServer: [string, string][] = [[t.search.title, "/search"], [t.nav.assistants, "/"]];
  if (admin) ofServer.push([t.nav.welcome, "/welcome"], [t.keys.title, "/keys"], [t.upstreams.title, "/upstreams"], [t.audit.title, "/audit"], [t.status.title, "/status"]);
  const screens: Item[] = [
    ...(current ? tabs.map((tab): Item => ({ group: "go", label: labels[tab], note: current.name, address: `/a/${current.slug}/${tab}` })) : []),
    ...ofServer.map(([label, address]): Item => ({ group: "go", label, note: "", address })),
  ];
  const of = current ?? assistants[0];
  return [
    ...(q ? [{ group: "go" as const, label: t.palette.searchFor(q), note: "", address: `/search?${new URLSearchParams({ q })}` }] : []),
    ...screens.filter((s) => fits(s.label)),
    ...assistants.filter((a) => fits(a.name, a.slug)).slice(0, most).map((a): Item => ({ group: "assistants", label: a.name, note: a.slug, address: `/a/${a.slug}/chat` })),
    ...(q && of && admin ? settings.filter((s) => fits(s.name.replaceAll("_", " "), s.name)).slice(0, most).map((s): Item => ({ group: "settings", label: s.name, note: of.name, address: `/a/${of.slug}/settings?find=${s.name}` })) : []),
  ];
}

/** Documents by their names, of the assistant that one is at, else of the first ones. */
export async function documentsNamed(q: string, assistants: Known[], signal: AbortSignal): Promise<Item[]> {
  const lists = await Promise.all(
    assistants.slice(0, 3).map((a) => the(api.GET("/v1.0/assistants/{assistant}/documents", { params: { path: { assistant: a.slug }, query: { q, limit: most } }, signal }))),
  );
  return lists.flatMap((list, i) => list.data.map((d): Item => ({ group: "documents", label: d.name, note: assistants[i]?.name ?? "", address: `/documents/${d.id}` }))).slice(0, most);
}

/** Passages by their words and meaning. */
export async function passages(q: string, signal: AbortSignal): Promise<Item[]> {
  const { results } = await the(api.POST("/v1/search/quick", { body: { query: q }, signal }));
  return results.map((r): Item => ({
    group: "passages", label: r.excerpt, note: [r.document_name, r.page_number === null ? "" : t.chat.page(r.page_number)].filter(Boolean).join(", "),
    address: `/documents/${r.document_id}?${new URLSearchParams({ name: r.document_name, ...(r.page_number === null ? {} : { page: String(r.page_number) }), highlight: `${r.char_start}-${r.char_end}` })}`,
  }));
}
