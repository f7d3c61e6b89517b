import { texts } from "../../texts/texts.ts";
import type { ChartProps } from "../../ui/chart-props.ts";
import type { Traffic } from "./provider-queries.ts";

const TEXTS = texts.providers.trafficTimes;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Row = Traffic["data"][number];
type Range = Pick<Traffic, "from" | "to" | "interval" | "data">;

/** Traffic as charts take it: every day or hour of the range, also those without any. */
export function fillTimes(traffic: Range, now = Date.now()) {
  const rows = new Map(traffic.data.map((row) => [Date.parse(row.start), row]));
  const moments = momentsOf(traffic, [...rows.keys()], now);
  const column = (read: (row: Row) => number | null, none: number | null) =>
    moments.map((at) => {
      const row = rows.get(at);
      return row === undefined ? none : read(row);
    });
  const one = (label: string, values: readonly (number | null)[], colour: ChartProps["series"][number]["colour"]) => ({
    label,
    values,
    ...(colour === undefined ? {} : { colour }),
  });
  return {
    moments,
    requests: [
      one(
        TEXTS.answered,
        column((row) => row.requests, 0),
        1,
      ),
      one(
        TEXTS.failed,
        column((row) => row.errors, 0),
        5,
      ),
    ],
    earnings: [
      one(
        TEXTS.earnings,
        column((row) => row.earnings, 0),
        2,
      ),
    ],
    latency: [
      one(
        TEXTS.averageTime,
        column((row) => row.average_latency_ms, null),
        4,
      ),
    ],
  };
}

/** The beginnings of all days or hours. A day of the clocks' change is an hour shorter or longer; known beginnings win. */
function momentsOf({ from, to, interval }: Range, known: readonly number[], now: number): number[] {
  const step = interval === "day" ? DAY_MS : HOUR_MS;
  const end = Math.min(Date.parse(to), now);
  const moments: number[] = [];
  for (let at = Date.parse(from); at < end; ) {
    const near = known.find((moment) => Math.abs(moment - at) <= step / 6);
    moments.push(near ?? at);
    at = (near ?? at) + step;
  }
  return moments;
}
