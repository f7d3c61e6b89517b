import { formatDay, formatMonth } from "../../ui/format.ts";

/** A day as the API writes it, for people. It is a day of the account's zone, whatever the device's is. */
export function showDay(date: string): string {
  return formatDay(`${date}T00:00:00Z`, "UTC");
}

/** The same for a month. */
export function showMonth(month: string): string {
  return formatMonth(`${month}-01T00:00:00Z`, "UTC");
}
