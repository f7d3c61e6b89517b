/** The ranges that can be chosen by a word. */
export const PRESETS = ["today", "24h", "7d", "30d", "90d", "12m", "month", "last-month", "custom"] as const;
export type Preset = (typeof PRESETS)[number];

export const METRICS = ["cost", "requests", "tokens", "errors", "latency"] as const;
export type Metric = (typeof METRICS)[number];

export const GROUPINGS = ["none", "model", "key", "task", "provider", "tag"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const INTERVALS = ["auto", "hour", "day", "week", "month"] as const;
export type IntervalChoice = (typeof INTERVALS)[number];

export const FILTERS = ["model", "provider", "key", "task", "tag"] as const;

/** What the page shows, as it stands in its address. What is left out is as usual. */
export interface UsageSearch {
  readonly range?: Preset;
  /** The first and the last day of a range of one's own. */
  readonly from?: string;
  readonly to?: string;
  /** A time zone's name; left out: the organisation's own. */
  readonly zone?: string;
  readonly metric?: Metric;
  readonly by?: Grouping;
  readonly interval?: IntervalChoice;
  /** How latency is drawn; left out: by its logarithm, so that one slow group does not flatten the others. */
  readonly scale?: "linear";
  readonly model?: string;
  readonly provider?: string;
  readonly key?: string;
  readonly task?: string;
  /** `team=search`, or `team` for any text. */
  readonly tag?: string;
}

/** The form of a tag in a filter. */
export const TAG = /^[^=]{1,64}(=.{1,512})?$/u;

/** Reads an address. What is wrong in it is left out, so that an old or broken link still shows something. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const one = <Value extends string>(name: string, values: readonly Value[]) => {
    const found = values.find((value) => value === search[name]);
    return found === undefined ? {} : { [name]: found };
  };
  const text = (name: string, pattern: RegExp) => {
    const value = typeof search[name] === "number" ? String(search[name]) : search[name];
    return typeof value === "string" && pattern.test(value) ? { [name]: value } : {};
  };
  return {
    ...one("range", PRESETS),
    ...text("from", /^\d{4}-\d{2}-\d{2}$/),
    ...text("to", /^\d{4}-\d{2}-\d{2}$/),
    ...text("zone", /^[A-Za-z0-9_+/-]{1,64}$/),
    ...one("metric", METRICS),
    ...one("by", GROUPINGS),
    ...one("interval", INTERVALS),
    ...one("scale", ["linear"]),
    ...text("model", /^.{1,257}$/),
    ...text("provider", /^.{1,257}$/),
    ...text("key", /^[0-9a-f-]{36}$/),
    ...text("task", /^.{1,257}$/),
    ...text("tag", TAG),
  };
}
