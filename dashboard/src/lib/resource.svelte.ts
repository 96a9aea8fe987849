import { ApiError } from "../api/client";
import { Memory } from "./memory";

const remembered = new Memory<unknown>(100);

/** Makes every resource of these keys load again when it is next shown. */
export function forget(prefix: string): void {
  remembered.forget(prefix);
}

/**
 * What was loaded, or is being loaded, or could not be. It loads again when what load
 * reads of the state changes. What was loaded under the same key before is shown
 * meanwhile. Make it in a component; it is cancelled with it.
 */
export class Resource<T> {
  data = $state.raw<T>();
  error = $state.raw<ApiError>();
  loading = $state(true);
  #again = $state(0);
  #shown = "";

  constructor(key: () => string, load: (signal: AbortSignal) => Promise<T>) {
    $effect(() => {
      void this.#again;
      const name = key();
      const control = new AbortController();
      if (name !== this.#shown) {
        this.#shown = name;
        this.data = remembered.get(name) as T | undefined;
      }
      this.loading = true;
      load(control.signal).then(
        (data) => {
          if (control.signal.aborted) return;
          remembered.set(name, data);
          this.data = data;
          this.error = undefined;
          this.loading = false;
        },
        (error: unknown) => {
          if (control.signal.aborted) return;
          this.error = error instanceof ApiError ? error : new ApiError(0, "", String(error));
          this.loading = false;
        },
      );
      return () => {
        control.abort();
      };
    });
  }

  reload = (): void => {
    this.#again++;
  };

  /** Shows a changed value before the server is asked again. */
  set(data: T): void {
    remembered.set(this.#shown, data);
    this.data = data;
  }
}
