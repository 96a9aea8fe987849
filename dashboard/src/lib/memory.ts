/** What was used last under its name: the oldest is forgotten when there are more than most. */
export class Memory<T> {
  readonly #kept = new Map<string, T>();

  constructor(private readonly most: number) {}

  get(name: string): T | undefined {
    const value = this.#kept.get(name);
    if (value !== undefined) this.set(name, value);
    return value;
  }

  set(name: string, value: T): void {
    this.#kept.delete(name);
    this.#kept.set(name, value);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.most) return;
      this.#kept.delete(oldest);
    }
  }

  /** Forgets all whose names begin so. */
  forget(prefix: string): void {
    for (const name of this.#kept.keys()) if (name.startsWith(prefix)) this.#kept.delete(name);
  }
}
