import { api, the, type Schemas } from "../api/client";
import { t } from "./strings";

export type Document = Schemas["Document"];
export type State = Document["status"];
export const states: readonly State[] = ["ready", "embedding", "indexing", "chunking", "extracting", "pending", "failed"];
const page = 200;

export interface Filter {
  q: string | undefined;
  state: string | undefined;
  label: string | undefined;
  sort: string | undefined;
}

const atOnce = 1000; // documents that one request may change

/** Changes documents. It throws if some could not be changed, and says how many and why. */
export async function changeAll(slug: string, ids: string[], change: Omit<Schemas["DocumentChanges"], "documents">): Promise<void> {
  const parts = Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, i) => ids.slice(i * atOnce, (i + 1) * atOnce));
  const answers = await Promise.all(
    parts.map((documents) => the(api.POST("/v1.0/assistants/{assistant}/documents/bulk", { params: { path: { assistant: slug } }, body: { ...change, documents }, keepalive: true }))),
  );
  const failed = answers.flatMap((a) => a.data).filter((d) => d.error);
  if (failed.length > 0) throw new Error(t.documents.notAll(failed.length, ids.length, failed[0]?.error?.message ?? ""));
}

/** The labels of documents, and how many of them have each. */
export function labelsOf(documents: Document[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const label of documents.flatMap((d) => d.labels)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => a.localeCompare(b)));
}

/** The documents of an assistant, as far as they were scrolled to. */
export class DocumentList {
  items = $state.raw<Document[]>([]); // thousands: none of them is observed by itself
  total = $state(0);
  next = $state<string | null>(null);

  constructor(
    private readonly slug: string,
    private readonly filter: Filter,
  ) {}

  /** Loads the next part. */
  async more(signal?: AbortSignal): Promise<void> {
    const { q, state, label, sort } = this.filter;
    const found = await the(
      api.GET("/v1.0/assistants/{assistant}/documents", {
        params: {
          path: { assistant: this.slug },
          query: {
            limit: page, count: true, ...(this.next ? { cursor: this.next } : {}), ...(q ? { q } : {}),
            ...(state && states.includes(state as State) ? { status: [state as State] } : {}), ...(label ? { label: [label] } : {}), ...(sort ? { sort: sort as "name" } : {}),
          },
        },
        ...(signal ? { signal } : {}),
      }),
    );
    this.items = [...this.items, ...found.data];
    this.total = found.total ?? this.items.length;
    this.next = found.next_cursor;
  }

  /** Takes over what an event says of a document. It returns whether the document is in the list. */
  change(event: Schemas["EventDocument"]): boolean {
    const i = this.items.findIndex((d) => d.id === event.id);
    const known = this.items[i];
    if (!known) return false;
    if (event.deleted) {
      this.items = this.items.toSpliced(i, 1);
      this.total--;
      return true;
    }
    const { name = known.name, status = known.status, searchable = known.searchable, progress, error } = event;
    const fresh: Document = { ...known, name, status, searchable, ...(progress ? { progress } : {}) };
    delete fresh.error; // an event without one says that there is none any more
    if (error) fresh.error = error;
    this.items = this.items.with(i, fresh);
    return true;
  }

  /** Reads one document again, whose sizes events do not tell. */
  async refresh(id: string): Promise<void> {
    const fresh = await the(api.GET("/v1.0/documents/{document}", { params: { path: { document: id } } }));
    const i = this.items.findIndex((d) => d.id === id);
    if (i >= 0) this.items = this.items.with(i, fresh);
  }
}
