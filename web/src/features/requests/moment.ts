/** What a clock of a zone shows at a moment: 2026-03-01T09:30:00. */
export function clockIn(zone: string, moment: string | number): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(moment));
  const read = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return `${read("year")}-${read("month")}-${read("day")}T${read("hour")}:${read("minute")}:${read("second")}`;
}

/** The moment at which a clock of a zone shows this; undefined where it is no time. */
export function momentIn(zone: string, clock: string): string | undefined {
  const shown = Date.parse(`${clock}Z`);
  if (Number.isNaN(shown)) return undefined;
  // The offset at a guess is right, or right at the second try where the clock changes in between.
  let at = shown;
  for (let tries = 0; tries < 2; tries++) at = shown - (Date.parse(`${clockIn(zone, at)}Z`) - at);
  return new Date(at).toISOString();
}
