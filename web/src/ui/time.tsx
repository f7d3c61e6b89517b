import { useEffect, useState } from "react";
import { formatDateTime, formatDay, formatExact, formatRelative, type Instant } from "./format.ts";

const FORMS = { date: formatDay, "date-time": formatDateTime, exact: formatExact } as const;

export interface TimeProps {
  readonly at: Instant;
  readonly form?: "relative" | keyof typeof FORMS;
  /** A time zone's name; the device's own if left out. */
  readonly zone?: string;
}

/** A moment: how long ago it was, with the exact time in its title, or in another form. */
export function Time({ at, form = "relative", zone }: TimeProps) {
  const [, setMinute] = useState(0);
  useEffect(() => {
    if (form !== "relative") return undefined;
    const timer = setInterval(() => setMinute((minute) => minute + 1), 30_000);
    return () => clearInterval(timer);
  }, [form]);
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at, zone)} className="whitespace-nowrap">
      {form === "relative" ? formatRelative(at) : FORMS[form](at, zone)}
    </time>
  );
}
