import { all, api, ApiError, the, type Schemas } from "../api/client";

/** An assistant as the key may see it; settings only with the scope admin. */
export interface Known {
  name: string;
  slug: string;
  title?: string; // for people who chat
  id?: string;
  collection_id?: string;
  settings?: Schemas["Settings"];
}

/** The assistants that the key may ask. admin: whether it may change them; search: whether it may search their documents. */
export async function listAssistants(signal: AbortSignal): Promise<{ admin: boolean; search: boolean; list: Known[] }> {
  try {
    const list = await all((cursor) => the(api.GET("/v1.0/assistants", { params: { query: { limit: 1000, ...(cursor ? { cursor } : {}) } }, signal })));
    return { admin: true, search: true, list };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    const [models, search] = await Promise.all([the(api.GET("/v1/models", { signal })), maySearch(signal)]);
    return { admin: false, search, list: models.data.filter((m) => m.owned_by === "footnote").map((m) => ({ name: m.id, slug: m.id, ...(m.title ? { title: m.title } : {}) })) };
  }
}

async function maySearch(signal: AbortSignal): Promise<boolean> {
  try {
    await the(api.GET("/v1/search/collections", { signal }));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}

/** What people who chat with it see. */
export function titleOf(a: Known): string {
  return (a.settings?.title ?? a.title)?.trim() || a.name;
}

/** Whether it is the sample that `serve --demo` makes. */
export function isSample(a: Known): boolean {
  return a.slug === "handbook";
}
