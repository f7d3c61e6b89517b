// Money, numbers and dates as people read them. Every page writes them through here.

const LOCALE = "en-US";
const MONEY = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 9 });
const WHOLE = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });
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

/** Credits with at least two decimals, and with every decimal that there is: nothing is rounded away. */
export function formatMoney(credits: number): string {
  // A negative zero is no debt.
  return MONEY.format(credits === 0 ? 0 : credits);
}

/** Credits with their unit. */
export function formatCredits(credits: number): string {
  return `${formatMoney(credits)} ${credits === 1 ? "credit" : "credits"}`;
}

/** A count with its thousands set apart. */
export function formatNumber(value: number): string {
  return WHOLE.format(value);
}

/** A large count in three figures: 1.23M. Cut, never rounded up, so that 999,950 is not a million. */
export function formatCompact(value: number): string {
  const unit = UNITS.find(({ from }) => Math.abs(value) >= from);
  if (unit === undefined) return WHOLE.format(value);
  const scaled = Math.abs(value) / unit.from;
  const decimals = scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  // The nudge keeps 1.1 × 100 from being 110.00000000000001 or 109.99999999999999.
  const cut = Math.floor(scaled * 10 ** decimals + 1e-9) / 10 ** decimals;
  return `${value < 0 ? "-" : ""}${cut}${unit.sign}`;
}

/** A share of one as a percentage. What is not nothing never reads 0 %, and what is not all never 100 %. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent < 100 && percent > 99.9) return ">99.9 %";
  return `${Number(percent.toFixed(1))} %`;
}

/** A duration in the unit that suits it. */
export function formatMs(ms: number): string {
  if (ms < 0) return `-${formatMs(-ms)}`;
  if (ms === 0) return "0 ms";
  if (ms < 1) return "<1 ms";
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1_000).toFixed(ms < 9_995 ? 2 : 1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return joinUnits(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  return joinUnits(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** A size in bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Number((bytes / 1_000).toFixed(1))} kB`;
  return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}

/** A day: 3 Mar 2026. */
export function formatDay(at: Instant, zone?: string): string {
  const parts = partsOf(at, zone, { day: "numeric", month: "short", year: "numeric" });
  return `${parts.day} ${parts.month} ${parts.year}`;
}

/** A month: March 2026. */
export function formatMonth(at: Instant, zone?: string): string {
  const parts = partsOf(at, zone, { month: "long", year: "numeric" });
  return `${parts.month} ${parts.year}`;
}

/** A time of day: 14:05. */
export function formatClock(at: Instant, zone?: string): string {
  const parts = partsOf(at, zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return `${parts.hour}:${parts.minute}`;
}

/** A moment to the minute: 3 Mar 2026, 14:05. */
export function formatDateTime(at: Instant, zone?: string): string {
  return `${formatDay(at, zone)}, ${formatClock(at, zone)}`;
}

/** A moment to the second, with its zone: for titles and details. */
export function formatExact(at: Instant, zone?: string): string {
  const parts = partsOf(at, zone, { second: "2-digit", minute: "2-digit", timeZoneName: "short" });
  return `${formatDateTime(at, zone)}:${parts.second?.padStart(2, "0")} ${parts.timeZoneName}`;
}

/** How long ago or how soon: 5 minutes ago, in 2 days, just now. */
export function formatRelative(at: Instant, now: Instant = Date.now()): string {
  const seconds = (toDate(at).getTime() - toDate(now).getTime()) / 1_000;
  const found = AGES.find(([, size]) => Math.abs(seconds) >= size);
  if (found === undefined) return Math.abs(seconds) < 10 ? "just now" : seconds < 0 ? "a minute ago" : "in a minute";
  const [unit, size] = found;
  return new Intl.RelativeTimeFormat(LOCALE).format(Math.trunc(seconds / size), unit);
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function toDate(at: Instant): Date {
  return at instanceof Date ? at : new Date(at);
}

function partsOf(at: Instant, zone: string | undefined, options: Intl.DateTimeFormatOptions) {
  const date = toDate(at);
  if (Number.isNaN(date.getTime())) throw new RangeError(`This is no date: ${String(at)}`);
  const format = formatFor(zone, options);
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of format.formatToParts(date)) parts[type] = value;
  return parts;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs far more than using it, and a list writes thousands of dates while it scrolls. */
function formatFor(zone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${zone ?? ""} ${Object.entries(options).join()}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(LOCALE, {
      ...options,
      ...(zone === undefined ? {} : { timeZone: zone }),
    });
    formats.set(name, format);
  }
  return format;
}
