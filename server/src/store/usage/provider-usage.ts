/** Days of UTC as ISO dates, both inclusive; undefined: open at that end. */
export interface DaySpan {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * The statement that gives what all clients together have used of some providers' models, piece by piece, by day of UTC.
 * `place` takes a value and gives the place that stands for it.
 */
export function providerUsageQuery(
  providers: readonly string[],
  { from, to }: DaySpan,
  closedUntil: Date | undefined,
  place: (value: unknown) => string,
): string {
  const names = place(providers);
  const until = closedUntil?.toISOString().slice(0, 10);
  const midnight = (day: string, later = 0) => `((${day}::date + ${later})::timestamp AT TIME ZONE 'UTC')`;
  const quarters = `SELECT provider, model, (quarter AT TIME ZONE 'UTC')::date AS day, requests, errors, input_tokens + output_tokens AS tokens
    FROM usage_quarters WHERE provider = ANY (${names})
      ${until === undefined ? "" : `AND quarter >= ${midnight(place(until))}`}
      ${from === undefined ? "" : `AND quarter >= ${midnight(place(from))}`}
      ${to === undefined ? "" : `AND quarter < ${midnight(place(to), 1)}`}`;
  if (until === undefined) return quarters;
  return `${quarters} UNION ALL
    SELECT provider, model, day, requests, errors, input_tokens + output_tokens
    FROM usage_days WHERE provider = ANY (${names}) AND day < ${place(until)}
      ${from === undefined ? "" : `AND day >= ${place(from)}`} ${to === undefined ? "" : `AND day <= ${place(to)}`}`;
}
