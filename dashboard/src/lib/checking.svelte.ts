import { tick } from "svelte";
import type { Marker, Source } from "../api/chat";
import { api, the } from "../api/client";
import type { Place } from "../parts/viewer.svelte";
import { hideTip } from "../parts/tip.svelte";
import { say } from "../parts/toasts.svelte";
import { spanOf } from "./cited";
import type { Turn } from "./conversation.svelte";
import { checkable, resultOf, sourceOf } from "./judging";
import { placeIn, placeQuery, placeValues } from "./place";
import { route, setQuery } from "./router.svelte";
import { wordsOf } from "./words";

interface Shown {
  turn: Turn;
  marker: Marker | undefined;
  index: number;
}

/**
 * What of the answers of a screen is being checked: a passage in the viewer, which the
 * address holds, and a walk through the markers of an answer that have sources.
 */
export class Checking {
  private query = $derived(placeQuery(placeIn(route.search)));
  place = $derived(placeIn(this.query));
  private walk = $state.raw<{ turn: Turn; at: number }>();
  verifying = $derived(this.place ? this.walk : undefined);
  private opened = new Map<string, Shown>(); // by what the address says of it, so that Back finds it
  private from: HTMLElement | undefined; // has the focus again when the viewer closes
  private sent: Promise<void> = Promise.resolve();

  /** judged is called when a person has judged a marker. */
  constructor(private readonly judged: () => void = () => undefined) {}

  /** The source that an answer's viewer shows, if it shows one of this answer. */
  shownOf(turn: Turn): Shown | undefined {
    const shown = this.opened.get(this.query);
    return shown?.turn === turn ? shown : undefined;
  }

  open = (turn: Turn, source: Source, marker?: Marker): void => {
    const at = marker ? turn.markers.indexOf(marker) : -1;
    if (!this.place) this.walk = undefined;
    else if (this.walk && at >= 0) this.walk = { turn, at };
    this.show(turn, source, marker);
  };

  /** Walks to a marker of an answer; without one, to the first that can be checked. */
  verify = (turn: Turn, at = checkable(turn.markers, turn.sources)[0]): void => {
    const marker = at === undefined ? undefined : turn.markers[at];
    const source = turn.sources.find((s) => s.index === sourceOf(marker));
    if (at === undefined || !source) return;
    const walks = this.verifying !== undefined;
    this.walk = { turn, at };
    this.show(turn, source, marker, walks);
  };

  private show(turn: Turn, source: Source, marker: Marker | undefined, replace = false): void {
    hideTip();
    const focus = document.activeElement;
    if (focus instanceof HTMLElement && !focus.closest(".viewer")) this.from = focus;
    const span = spanOf(source, marker);
    const place: Place = { document: source.document_id, name: source.document_name, page: span.page, start: span.start, end: span.end };
    this.opened.set(placeQuery(place), { turn, marker, index: source.index });
    setQuery(placeValues(place), replace);
  }

  /** Keeps what a person says of the marker that is being verified. What the server refuses is taken back. */
  judge = (right: boolean): void => {
    const { turn, at } = this.verifying ?? {};
    const source = sourceOf(turn?.markers[at ?? -1]);
    if (!turn || at === undefined || source === undefined) return;
    const before = turn.judged[at];
    turn.judged[at] = right;
    this.judged();
    this.sent = this.sent
      .then(() => tell(turn, source))
      .catch((error: unknown) => {
        if (before === undefined) Reflect.deleteProperty(turn.judged, at);
        else turn.judged[at] = before;
        say(wordsOf(error), { bad: true });
      })
      .finally(this.judged);
  };

  endVerifying = (): void => {
    this.walk = undefined;
  };

  close = (): void => {
    this.walk = undefined;
    setQuery(placeValues(), false);
  };

  /** Gives the focus back when the viewer has gone, unless it is elsewhere by then. */
  returnFocus = (): void => {
    const { from } = this;
    void tick().then(() => {
      if (document.activeElement === document.body) from?.focus();
    });
  };
}

// One result after the other, so that the last one is what the server keeps.
async function tell(turn: Turn, source: number): Promise<void> {
  const result = resultOf(turn.markers, turn.judged, source);
  if (!turn.answerID || turn.results[source] === result) return;
  const params = { path: { answer: turn.answerID, source } };
  if (result) await the(api.PUT("/v1.0/history/{answer}/verifications/{source}", { params, body: { result } }));
  else await the(api.DELETE("/v1.0/history/{answer}/verifications/{source}", { params }));
  if (result) turn.results[source] = result;
  else Reflect.deleteProperty(turn.results, source);
}
