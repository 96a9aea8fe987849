import type { Marker, Source } from "../api/chat";
import type { Place } from "../parts/viewer.svelte";
import { hideTip } from "../parts/tip.svelte";
import { spanOf } from "./cited";
import type { Turn } from "./conversation.svelte";

/** What of the answers of a screen is being checked: a passage in the viewer, and a walk through markers. */
export class Checking {
  place = $state.raw<Place>();
  shown = $state.raw<{ turn: Turn; marker: Marker | undefined; index: number }>();
  verifying = $state.raw<{ turn: Turn; at: number }>();

  /** The source that an answer's viewer shows, if it shows one of this answer. */
  shownOf(turn: Turn): { marker: Marker | undefined; index: number } | undefined {
    return this.shown?.turn === turn ? this.shown : undefined;
  }

  open = (turn: Turn, source: Source, marker?: Marker): void => {
    hideTip();
    const span = spanOf(source, marker);
    this.place = { document: source.document_id, name: source.document_name, page: span.page, start: span.start, end: span.end };
    this.shown = { turn, marker, index: source.index };
    if (this.verifying && marker) this.verifying = { turn, at: turn.markers.indexOf(marker) };
  };

  verify = (turn: Turn, at = 0): void => {
    const marker = turn.markers[at];
    const source = turn.citations?.sources.find((s) => s.index === (marker?.quote?.index ?? marker?.indices[0]));
    this.verifying = { turn, at };
    if (source) this.open(turn, source, marker);
  };

  endVerifying = (): void => {
    this.verifying = undefined;
  };

  close = (): void => {
    this.place = undefined;
    this.shown = undefined;
    this.verifying = undefined;
  };
}
