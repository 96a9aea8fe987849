/** Gives an element the focus when it appears: it was asked for in order to type into it. */
export function focused(element: HTMLElement): void {
  element.focus();
}
