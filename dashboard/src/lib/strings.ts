import { de } from "./strings.de";
import { en } from "./strings.en";

/** All words that people see. English is the first; another language has the same members. */
export type Strings = typeof en;

const catalogues: Record<string, Strings> = { en, de };
const chosen = localStorage.getItem("footnote.language") ?? navigator.languages.map((l) => l.slice(0, 2)).find((l) => l in catalogues) ?? "en";

export const locale = chosen in catalogues ? chosen : "en";
export const t: Strings = catalogues[locale] ?? en;
document.documentElement.lang = locale;

export function chooseLanguage(language: string): void {
  localStorage.setItem("footnote.language", language);
  location.reload();
}
