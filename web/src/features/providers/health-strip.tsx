import { texts } from "../../texts/texts.ts";
import { formatClock, formatNumber } from "../../ui/format.ts";
import { type StatusCell, StatusStrip } from "../../ui/status-strip.tsx";
import type { Availability, Traffic } from "./provider-queries.ts";

const TEXTS = texts.providers.healthStrip;

const HOURS = 24;
const HOUR_MS = 3_600_000;
const BAD_SHARE = 0.5;
const DEGRADED_SHARE = 0.05;

type Row = Pick<Traffic["data"][number], "start" | "requests" | "errors">;

export interface HealthStripProps {
  readonly name: string;
  /** The catalogue's count of every call; a model that is not listed has none. */
  readonly availability: Availability | undefined;
  /** The traffic by hour, used instead of it. */
  readonly rows: readonly Row[];
  readonly now: number;
}

/** The last 24 hours of a model. */
export function HealthStrip({ name, availability, rows, now }: HealthStripProps) {
  const cells = availability?.map(hourOf) ?? lastHours(rows, now);
  const failures = cells.reduce((sum, { errors }) => sum + errors, 0);
  const requests = cells.reduce((sum, one) => sum + one.requests, 0);
  const label =
    requests + failures === 0
      ? TEXTS.hadNoRequestsIn(name)
      : TEXTS.inTheLastHours(name, formatNumber(requests), formatNumber(failures));
  return <StatusStrip label={label} cells={cells.map(cellOf)} />;
}

function hourOf({ at, calls, failures }: Availability[number]): Hour {
  return { at: Date.parse(at), requests: calls - failures, errors: failures };
}

interface Hour {
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
}

/** One entry for each of the last 24 hours, the oldest first. */
export function lastHours(rows: readonly Row[], now: number): Hour[] {
  return Array.from({ length: HOURS }, (_, index) => {
    const at = Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1 - index) * HOUR_MS;
    const during = rows.filter(({ start }) => {
      const moment = Date.parse(start);
      return moment >= at && moment < at + HOUR_MS;
    });
    const add = (read: (row: Row) => number) => during.reduce((sum, row) => sum + read(row), 0);
    return { at, requests: add((row) => row.requests), errors: add((row) => row.errors) };
  });
}

function cellOf({ at, requests, errors }: Hour): StatusCell {
  const calls = requests + errors;
  if (calls === 0) return { state: "none", label: TEXTS.noRequests(formatClock(at)) };
  const share = errors / calls;
  const state = share >= BAD_SHARE ? "bad" : share >= DEGRADED_SHARE ? "degraded" : "good";
  return { state, label: TEXTS.ofFailed(formatClock(at), errors, calls) };
}
