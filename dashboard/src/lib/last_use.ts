import { api, the } from "../api/client";

/** When a key was used last, by the audit log: for a chat, a search or a change. "": it was not. */
export async function lastUse(key: string, signal: AbortSignal): Promise<string> {
  const { data } = await the(api.GET("/v1.0/audit", { params: { query: { key_id: key, limit: 1 } }, signal }));
  return data[0]?.created_at ?? "";
}
