import createClient from "openapi-fetch";
import type { components, paths } from "./schema";
import { askForKey, storedKey } from "./session.svelte";

export type Schemas = components["schemas"];

/** A refusal of the server, or the lack of an answer (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly param: string | null = null,
    readonly request = "",
  ) {
    super(message);
  }
}

/** Sends a request with the key. After a 401 it asks the person for a key and goes on. */
export async function send(request: Request): Promise<Response> {
  for (;;) {
    const key = storedKey();
    const attempt = request.clone();
    if (key) attempt.headers.set("Authorization", `Bearer ${key}`);
    let answer: Response;
    try {
      answer = await fetch(attempt);
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw new ApiError(0, "unreachable", "");
    }
    if (answer.status !== 401) return answer;
    if (storedKey() === key) await askForKey(key !== "");
  }
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer, or an ApiError. */
export async function the<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (response.ok) return data as T;
  throw refusalOf(response, error);
}

/** The ApiError of an answer that is no success. body is its decoded JSON, if it had any. */
export function refusalOf(response: Response, body: unknown): ApiError {
  const error = (body as { error?: Schemas["ErrorObject"] } | undefined)?.error;
  return new ApiError(
    response.status,
    String(error?.code ?? ""),
    error?.message ?? response.statusText,
    error?.param ?? null,
    response.headers.get("X-Request-Id") ?? "",
  );
}

/** Every item of a list, page by page. */
export async function all<T>(page: (cursor: string | undefined) => Promise<{ data: T[]; next_cursor: string | null }>): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, next_cursor } = await page(cursor);
    items.push(...data);
    if (next_cursor === null) return items;
    cursor = next_cursor;
  }
}
