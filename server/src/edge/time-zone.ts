const MS_PER_DAY = 86_400_000;

/** The first moment of a day, `addDays` later, in a time zone. Zones move their clocks, so the offset is asked for at that very moment. */
export function startOfDay(date: string, timeZone: string, addDays: number): Date {
  const midnight = Date.parse(`${date}T00:00:00Z`) + addDays * MS_PER_DAY;
  const moment = midnight - offsetMs(new Date(midnight), timeZone);
  // The offset at the guess may differ from the one at UTC's midnight; a second look settles it.
  const second = midnight - offsetMs(new Date(moment), timeZone);
  // Where the clocks go forward at midnight the two looks disagree for good: the day begins at the later one.
  const third = midnight - offsetMs(new Date(second), timeZone);
  return new Date(third === second ? second : Math.max(moment, second));
}

/** How far a zone's clocks are ahead of UTC at a moment. */
function offsetMs(moment: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(moment);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    read("year"),
    read("month") - 1,
    read("day"),
    read("hour"),
    read("minute"),
    read("second"),
  );
  return local - Math.floor(moment.getTime() / 1000) * 1000;
}
