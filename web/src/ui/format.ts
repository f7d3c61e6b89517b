import { language, locale } from "./locale.ts";

// Money, numbers and dates as people read them. Every page writes them through here.

const UNITS = [
  { from: 1e12, sign: "T" },
  { from: 1e9, sign: "B" },
  { from: 1e6, sign: "M" },
  { from: 1e3, sign: "k" },
] as const;
const AGES: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** An instant as the API writes it, or as the clock gives it. */
export type Instant = string | number | Date;

/** The currency that credits are shown in, and what one credit is worth in it. */
let currency = { code: "USD", perCredit: 1 };

export function setCurrency(code: string, perCredit: number): void {
  currency = { code, perCredit };
}

/** Money as people read it: cents from one unit on, and four significant digits below. `formatExactMoney` has all of it. */
export function formatMoney(credits: number): string {
  const amount = credits * currency.perCredit;
  const size = Math.abs(amount);
  // A price of 0.5 is $0.50, one of 0.0000028 all of its digits, and 0.1234567 no more than four.
  const decimals = size === 0 || size >= 1 ? 2 : Math.max(2, Math.min(12, 3 - Math.floor(Math.log10(size))));
  return moneyFormat(decimals).format(amount === 0 ? 0 : amount);
}

/** Money with every decimal that it has: for titles and details. */
export function formatExactMoney(credits: number): string {
  const amount = credits * currency.perCredit;
  return moneyFormat(12).format(amount === 0 ? 0 : Number(amount.toPrecision(15)));
}

function moneyFormat(decimals: number): Intl.NumberFormat {
  return numberFormat({
    style: "currency",
    currency: currency.code,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: decimals,
  });
}

/** A count with its thousands set apart. */
export function formatNumber(value: number): string {
  return numberFormat({ maximumFractionDigits: 2 }).format(value);
}

/** A large count in three figures: 1.23M. Cut, never rounded up, so that 999,950 is not a million. */
export function formatCompact(value: number): string {
  const unit = UNITS.find(({ from }) => Math.abs(value) >= from);
  if (unit === undefined) return formatNumber(value);
  const scaled = Math.abs(value) / unit.from;
  const decimals = scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  // The nudge keeps 1.1 × 100 from being 110.00000000000001 or 109.99999999999999.
  const cut = Math.floor(scaled * 10 ** decimals + 1e-9) / 10 ** decimals;
  return `${formatNumber(value < 0 ? -cut : cut)}${unit.sign}`;
}

/** A share of one as a percentage. What is not nothing never reads 0 %, and what is not all never 100 %. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  const format = numberFormat({ style: "percent", maximumFractionDigits: 1 });
  if (percent > 0 && percent < 0.1) return `<${format.format(0.001)}`;
  if (percent < 100 && percent > 99.9) return `>${format.format(0.999)}`;
  return format.format(share);
}

/** A number of a unit such as `day`, in the language's short form. */
export function formatUnit(value: number, unit: string): string {
  return numberFormat({ style: "unit", unit, unitDisplay: "short" }).format(value);
}

/** A duration in the unit that suits it. */
export function formatMs(ms: number): string {
  if (ms < 0) return `-${formatMs(-ms)}`;
  if (ms === 0) return "0 ms";
  if (ms < 1) return "<1 ms";
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${formatNumber(Number((ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return joinUnits(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  return joinUnits(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** Words as a list of the language: text, images and audio. */
export function listWords(words: readonly string[]): string {
  return new Intl.ListFormat(language(), { type: "conjunction" }).format(words);
}

/** A size in bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${formatNumber(Number((bytes / 1_000).toFixed(1)))} kB`;
  return `${formatNumber(Number((bytes / 1_000_000).toFixed(1)))} MB`;
}

/** A day: Mar 3, 2026. */
export function formatDay(at: Instant, zone?: string): string {
  return dateFormat(zone, { day: "numeric", month: "short", year: "numeric" }).format(toDate(at));
}

/** A month: March 2026. */
export function formatMonth(at: Instant, zone?: string): string {
  return dateFormat(zone, { month: "long", year: "numeric" }).format(toDate(at));
}

/** A time of day: 14:05. */
export function formatClock(at: Instant, zone?: string): string {
  return dateFormat(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(toDate(at));
}

/** A time of day to the second: 14:05:09. */
export function formatSecond(at: Instant, zone?: string): string {
  return dateFormat(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(
    toDate(at),
  );
}

/** A moment to the minute: Mar 3, 2026, 14:05. */
export function formatDateTime(at: Instant, zone?: string): string {
  return dateFormat(zone, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(toDate(at));
}

/** A moment of a year that is known: Mar 3, 14:05. */
export function formatHour(at: Instant, zone?: string): string {
  return dateFormat(zone, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(toDate(at));
}

/** A moment to the second, with its zone: for titles and details. */
export function formatExact(at: Instant, zone?: string): string {
  return dateFormat(zone, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(toDate(at));
}

/** How long ago or how soon: 5 minutes ago, in 2 days, just now. */
export function formatRelative(at: Instant, now: Instant = Date.now()): string {
  const seconds = (toDate(at).getTime() - toDate(now).getTime()) / 1_000;
  const found = AGES.find(([, size]) => Math.abs(seconds) >= size);
  // "now" and "1 minute ago" in the language's own words.
  if (found === undefined) {
    const minutes = Math.abs(seconds) < 10 ? 0 : Math.sign(seconds);
    return relativeFormat().format(minutes, minutes === 0 ? "second" : "minute");
  }
  const [unit, size] = found;
  return relativeFormat().format(Math.trunc(seconds / size), unit);
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function toDate(at: Instant): Date {
  const date = at instanceof Date ? at : new Date(at);
  if (Number.isNaN(date.getTime())) throw new RangeError(`This is no date: ${String(at)}`);
  return date;
}

// Making a format costs far more than using it, and a list writes thousands of dates while it scrolls.
const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();

function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return keptFormat(numberFormats, options, () => new Intl.NumberFormat(locale(), options));
}

function dateFormat(zone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const zoned = zone === undefined ? options : { ...options, timeZone: zone };
  return keptFormat(dateFormats, zoned, () => new Intl.DateTimeFormat(locale(), zoned));
}

function relativeFormat(): Intl.RelativeTimeFormat {
  return keptFormat(relativeFormats, {}, () => new Intl.RelativeTimeFormat(language(), { numeric: "auto" }));
}

function keptFormat<Format>(kept: Map<string, Format>, options: object, make: () => Format): Format {
  const name = `${locale()} ${Object.entries(options).join()}`;
  let format = kept.get(name);
  if (format === undefined) {
    format = make();
    kept.set(name, format);
  }
  return format;
}
