import type { ClientLog } from "./client-log.ts";

/** Something that was promised and was not so, with the requests it was seen on. */
export interface BrokenPromise {
  readonly promise: string;
  readonly what: string;
  readonly requestIds?: readonly string[];
}

/** What a scenario did and what it found. */
export interface Report {
  readonly scenario: string;
  readonly seed: string;
  readonly seconds: number;
  /** How many requests of which kind were sent. */
  readonly requests: Readonly<Record<string, number>>;
  /** How many answers of which status were given; `cut`, `left` and the like where there was none. */
  readonly answers: Readonly<Record<string, number>>;
  readonly kills: Readonly<Record<string, number>>;
  /** What else is worth knowing, one sentence each. */
  readonly notes: readonly string[];
  readonly broken: readonly BrokenPromise[];
}

/** How many broken promises of one kind are shown, and how many ids of each. */
const SHOWN = 10;
const IDS_SHOWN = 5;

/** Counts names. */
export function tally(names: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The requests by kind and the answers by status of a log. */
export function tallyOf({ records }: ClientLog): Pick<Report, "requests" | "answers"> {
  return {
    requests: tally(records.map(({ kind }) => kind)),
    answers: tally(
      records.map(({ outcome, status, isReplayed }) =>
        outcome === "answered" ? `${status}${isReplayed ? " replayed" : ""}` : outcome,
      ),
    ),
  };
}

/** The report for people. */
export function renderReport(report: Report): string {
  const { scenario, seed, seconds, requests, answers, kills, notes, broken } = report;
  return [
    "",
    `${scenario}, seed ${seed}, ${Math.round(seconds)} s`,
    countsLine("Requests", requests),
    countsLine("Answers", answers),
    countsLine("Kills", kills),
    ...notes.map((note) => `  ${note}`),
    ...(broken.length === 0
      ? ["✓ No promise was broken."]
      : [`✗ ${broken.length} broken promises. Replay them with --seed ${seed}.`, ...renderBroken(broken)]),
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

function countsLine(name: string, counts: Readonly<Record<string, number>>): string | undefined {
  const entries = Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b));
  if (entries.length === 0) return undefined;
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  return `  ${name}: ${total} (${entries.map(([what, count]) => `${what} ${count}`).join(", ")})`;
}

function renderBroken(broken: readonly BrokenPromise[]): string[] {
  const promises = [...new Set(broken.map(({ promise }) => promise))];
  return promises.flatMap((promise) => {
    const all = broken.filter((one) => one.promise === promise);
    const lines = all.slice(0, SHOWN).map(({ what, requestIds = [] }) => {
      const ids = requestIds.slice(0, IDS_SHOWN).join(" ");
      return `    ${what}${ids === "" ? "" : ` [${ids}]`}`;
    });
    const more = all.length > SHOWN ? [`    and ${all.length - SHOWN} more`] : [];
    return [`  ✗ ${promise}`, ...lines, ...more];
  });
}
