/** What usage can be grouped by. */
export const USAGE_GROUPS = ["day", "model", "key", "task", "provider", "tag"] as const;
export type UsageGrouping = (typeof USAGE_GROUPS)[number];

/** What usage over time can be split by. */
export const SERIES_GROUPS = ["none", "model", "key", "task", "provider", "tag"] as const;
export type SeriesGrouping = (typeof SERIES_GROUPS)[number];

/** What selects the largest groups of a series. */
export const SERIES_MEASURES = ["cost", "requests", "errors", "tokens"] as const;
export type SeriesMeasure = (typeof SERIES_MEASURES)[number];

/** How many groups a series lists by name. It sums the others. */
export const NAMED_GROUPS = 8;

/** What a provider's traffic can be cut into. */
export const TRAFFIC_INTERVALS = ["day", "hour"] as const;
export type TrafficInterval = (typeof TRAFFIC_INTERVALS)[number];
