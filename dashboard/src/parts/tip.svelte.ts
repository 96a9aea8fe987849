import type { Marker, Source } from "../api/chat";

// The one tip of the page: what a badge under the pointer or the focus is about, or what
// something means.
class Tip {
  source = $state.raw<Source>();
  marker = $state.raw<Marker>();
  text = $state("");
  x = $state(0);
  y = $state(0);
  above = $state(false);
}
export const tip = new Tip();

export function hideTip(): void {
  tip.source = undefined;
  tip.text = "";
}

function placeAt(element: HTMLElement): void {
  const box = element.getBoundingClientRect();
  tip.above = box.bottom > window.innerHeight - 220;
  tip.x = Math.max(8, Math.min(box.left, window.innerWidth - 340));
  tip.y = tip.above ? window.innerHeight - box.top + 6 : box.bottom + 6;
}

// A pointer under which something comes to lie does not move, and asks for no tip.
function listen(element: HTMLElement, events: Record<string, () => void>): () => void {
  for (const [name, run] of Object.entries(events)) element.addEventListener(name, run);
  return () => {
    for (const [name, run] of Object.entries(events)) element.removeEventListener(name, run);
  };
}

/** Says what an element means while it has the pointer or the focus, and when it is pressed. */
export function explain(text: string) {
  return (element: HTMLElement): (() => void) => {
    const show = (): void => {
      placeAt(element);
      tip.source = undefined;
      tip.text = text;
    };
    const leave = (): void => { queueMicrotask(() => { if (tip.text === text) hideTip(); }); };
    return listen(element, { mousemove: show, focus: show, click: show, mouseleave: leave, blur: leave });
  };
}

/** Shows name, page and quote of a source while the element has the pointer or the focus. */
export function showTip(source: Source | undefined, marker: Marker | undefined) {
  return (element: HTMLElement): (() => void) => {
    const show = (): void => {
      if (element.classList.contains("on")) return; // the viewer shows it, and the tip would cover that
      placeAt(element);
      tip.text = "";
      tip.source = source;
      tip.marker = marker;
    };
    const own = (): boolean => tip.source === source && tip.marker === marker;
    // An element that is removed while it has the focus is left in the middle of an update, when nothing may change.
    const leave = (): void => { queueMicrotask(() => { if (own()) hideTip(); }); };
    const forget = listen(element, { mousemove: show, focus: show, mouseleave: leave, blur: leave, click: hideTip });
    return () => {
      forget();
      if (own()) hideTip();
    };
  };
}
