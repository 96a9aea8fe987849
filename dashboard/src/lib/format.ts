import { locale } from "./strings";

const whole = new Intl.NumberFormat(locale);
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const dateOnly = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const precise = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

export function count(n: number): string {
  return whole.format(n);
}

export function percent(share: number): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

export function bytes(n: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const step = Math.min(units.length - 1, n > 0 ? Math.floor(Math.log10(n) / 3) : 0);
  return new Intl.NumberFormat(locale, { style: "unit", unit: units[step] ?? "byte", unitDisplay: "short", maximumFractionDigits: n / 1000 ** step < 10 && step > 0 ? 1 : 0 }).format(
    n / 1000 ** step,
  );
}

export function milliseconds(n: number): string {
  if (n >= 1000) return new Intl.NumberFormat(locale, { style: "unit", unit: "second", unitDisplay: "short", maximumFractionDigits: 1 }).format(n / 1000);
  return new Intl.NumberFormat(locale, { style: "unit", unit: "millisecond", unitDisplay: "short", maximumFractionDigits: n < 10 ? 1 : 0 }).format(n);
}

export function moment(iso: string): string {
  return date.format(new Date(iso));
}

export function day(iso: string): string {
  return dateOnly.format(new Date(iso));
}

/** A time with its seconds. */
export function instant(iso: string): string {
  return precise.format(new Date(iso));
}

/** The time of a day. */
export function hour(iso: string): string {
  return clock.format(new Date(iso));
}

/** How long ago something was: "3 minutes ago". */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [["day", 86400], ["hour", 3600], ["minute", 60]];
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return relative.format(Math.trunc(seconds), "second");
}
