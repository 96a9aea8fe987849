import { SvelteMap } from "svelte/reactivity";
import { api, ApiError, the, type Schemas } from "../api/client";

/** What a model server answered when it was asked whether it works. */
export interface Check {
  running: boolean;
  health?: Schemas["UpstreamHealth"];
  models: string[];
  error?: ApiError;
}

// A server that does not answer holds a connection for long, of which a browser has few.
const atOnce = 3;

/** Asks model servers whether they work, some at a time. Make it in a component; it is cancelled with it. */
export class Checks {
  readonly of = new SvelteMap<string, Check>();
  #waiting: string[] = [];
  #running = 0;
  #control = new AbortController();

  constructor() {
    $effect(() => {
      this.#control = new AbortController();
      return () => {
        this.#waiting = [];
        this.#control.abort();
      };
    });
  }

  ask(id: string): void {
    const known = this.of.get(id);
    if (known?.running) return;
    this.of.set(id, { ...known, models: known?.models ?? [], running: true });
    this.#waiting.push(id);
    this.#next();
  }

  forget(id: string): void {
    this.of.delete(id);
  }

  #next(): void {
    while (this.#running < atOnce) {
      const id = this.#waiting.shift();
      if (id === undefined) return;
      this.#running++;
      void this.#check(id, this.#control.signal).then((check) => {
        this.#running--;
        if (check && this.of.has(id)) this.of.set(id, check);
        this.#next();
      });
    }
  }

  async #check(id: string, signal: AbortSignal): Promise<Check | undefined> {
    const path = { params: { path: { upstream: id } }, signal };
    try {
      const health = await the(api.GET("/v1.0/upstreams/{upstream}/health", path));
      const models = health.status === "ok" ? (await the(api.GET("/v1.0/upstreams/{upstream}/models", path))).data.map((m) => m.id) : [];
      return { running: false, health, models };
    } catch (error) {
      if (signal.aborted) return undefined;
      return { running: false, models: [], error: error instanceof ApiError ? error : new ApiError(0, "", String(error)) };
    }
  }
}
