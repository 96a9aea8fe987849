interface Page<T> {
  data: T[];
  next_cursor: string | null;
  total?: number;
}

/** A list of the server, as far as the person went. */
export class Paged<T> {
  items = $state.raw<T[]>([]);
  next = $state.raw<string | null>(null);
  total = $state.raw(0);

  constructor(private readonly page: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<T>>) {}

  /** Loads the next part. */
  async more(signal?: AbortSignal): Promise<void> {
    const { data, next_cursor, total } = await this.page(this.next ?? undefined, signal);
    this.items = [...this.items, ...data];
    this.next = next_cursor;
    this.total = total ?? this.items.length;
  }
}

/** The first part of a list, for a resource. */
export async function firstPage<T>(signal: AbortSignal, page: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<T>>): Promise<Paged<T>> {
  const list = new Paged(page);
  await list.more(signal);
  return list;
}
