import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import type { Database } from "../../store/database/database.ts";
import type { Config } from "../config/config.ts";

/** `note`: it works, and something should be known or done. */
export type Verdict = "ok" | "note" | "failed";

/** What a check found, in a sentence for the operator. */
export interface Finding {
  readonly verdict: Verdict;
  readonly sentence: string;
}

/** What the checks look at. */
export interface CheckInput {
  readonly config: Config;
  readonly dialer: Pick<Dialer, "get" | "post">;
  /** Why there is no database is a sentence. */
  readonly database: Database | string;
  readonly now: () => number;
}

export function ok(sentence: string): Finding {
  return { verdict: "ok", sentence };
}

export function note(sentence: string): Finding {
  return { verdict: "note", sentence };
}

export function failed(sentence: string): Finding {
  return { verdict: "failed", sentence };
}

/** A size for people: 1.5 GB. */
export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(value < 10 && power > 0 ? 1 : 0)} ${units[power]}`;
}

/** Where a day or less is left, in hours. */
export function durationText(ms: number): string {
  const hours = Math.floor(Math.abs(ms) / 3_600_000);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
