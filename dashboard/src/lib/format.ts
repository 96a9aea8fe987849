import { locale } from "./strings";

// A format is dear to make: each is made when it is first needed, and kept.
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const whole = once(() => new Intl.NumberFormat(locale));
const share = once(() => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }));
const date = once(() => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }));
const dateOnly = once(() => new Intl.DateTimeFormat(locale, { dateStyle: "medium" }));
const precise = once(() => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }));
const clock = once(() => new Intl.DateTimeFormat(locale, { timeStyle: "short" }));
const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));

export function count(n: number): string {
  return whole().format(n);
}

export function percent(part: number): string {
  return share().format(part);
}

const units = new Map<string, Intl.NumberFormat>();

function withUnit(n: number, unit: string, digits: number): string {
  const name = `${unit} ${digits}`;
  let format = units.get(name);
  if (!format) units.set(name, (format = new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits })));
  return format.format(n);
}

export function bytes(n: number): string {
  const names = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const step = Math.min(names.length - 1, n > 0 ? Math.floor(Math.log10(n) / 3) : 0);
  return withUnit(n / 1000 ** step, names[step] ?? "byte", n / 1000 ** step < 10 && step > 0 ? 1 : 0);
}

export function milliseconds(n: number): string {
  return n >= 1000 ? withUnit(n / 1000, "second", 1) : withUnit(n, "millisecond", n < 10 ? 1 : 0);
}

export function moment(iso: string): string {
  return date().format(new Date(iso));
}

export function day(iso: string): string {
  return dateOnly().format(new Date(iso));
}

/** A time with its seconds. */
export function instant(iso: string): string {
  return precise().format(new Date(iso));
}

/** The time of a day. */
export function hour(iso: string): string {
  return clock().format(new Date(iso));
}

/** How long ago something was: "3 minutes ago". */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [["day", 86400], ["hour", 3600], ["minute", 60]];
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative().format(Math.trunc(seconds / size), unit);
  }
  return relative().format(Math.trunc(seconds), "second");
}
