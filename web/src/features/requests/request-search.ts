/** What can be looked for, in the order of the bar. */
export const FILTERS = [
  "status",
  "model",
  "provider",
  "key",
  "task",
  "tag",
  "error_type",
  "min_cost",
  "min_latency_ms",
  "feedback",
  "from",
  "to",
  "id",
  "text",
] as const;
export type FilterName = (typeof FILTERS)[number];

const VERDICTS = ["any", "good", "bad"] as const;
type Verdict = (typeof VERDICTS)[number];

/** What the page looks for. */
export type RequestFilters = { readonly [Name in Exclude<FilterName, "feedback">]?: string } & {
  readonly feedback?: Verdict;
};

/** The same as it stands in the address, where numbers are numbers. */
export type RequestSearch = { readonly [Name in FilterName]?: string | number };

const FORMS: Readonly<Record<FilterName, RegExp>> = {
  status: /^(ok|error|refused|[1-5]xx|[1-5]\d\d)$/,
  model: /^.{1,257}$/,
  provider: /^.{1,257}$/,
  key: /^[0-9a-f-]{36}$/,
  task: /^.{1,257}$/,
  tag: /^[\w.:-]{1,64}(=.{0,512})?$/,
  error_type: /^[a-z_]{1,64}$/,
  min_cost: /^\d{1,9}(\.\d{1,9})?$/,
  feedback: /^(any|good|bad)$/,
  min_latency_ms: /^\d{1,9}(\.\d{1,9})?$/,
  from: /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/,
  to: /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/,
  id: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  text: /^[\s\S]{1,200}$/,
};

/** Whether a text can be looked for under a name. */
export function isFilter(name: FilterName, value: string): boolean {
  return FORMS[name].test(value);
}

/** Reads an address. What is wrong in it is left out, so that an old or broken link still shows something. */
export function readRequestSearch(search: Record<string, unknown>): RequestSearch {
  return searchOf(filtersOf(search));
}

/** The filters that an address means. */
export function filtersOf(search: Readonly<Record<string, unknown>>): RequestFilters {
  const read: Partial<Record<Exclude<FilterName, "feedback">, string>> = {};
  const feedback = VERDICTS.find((verdict) => verdict === search.feedback);
  for (const name of FILTERS) {
    if (name === "feedback") continue;
    const value = typeof search[name] === "number" ? plainDecimal(search[name]) : search[name];
    if (typeof value === "string" && isFilter(name, value)) read[name] = value;
  }
  return feedback === undefined ? read : { ...read, feedback };
}

/** The address of filters: a number that were a text would be written in quotes. */
export function searchOf(filters: RequestFilters): RequestSearch {
  const entries = Object.entries(filters).map(([name, value]) => [
    name,
    plainDecimal(Number(value)) === value ? Number(value) : value,
  ]);
  return Object.fromEntries(entries) as RequestSearch;
}

/** 0.000000001 and not 1e-9. */
function plainDecimal(value: number): string {
  return /e/.test(String(value)) ? value.toFixed(9).replace(/\.?0+$/, "") : String(value);
}
