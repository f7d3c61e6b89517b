import type { ClientLog, ClientRecord } from "./client-log.ts";
import type { BrokenPromise } from "./report.ts";

/** A time in which the store was away: from its end to its being there again. */
export interface Absence {
  /** When it began to end. */
  readonly struckAt: number;
  /** When the store had ended for certain. */
  readonly from: number;
  /** When it began to come back. */
  readonly to: number;
  /** When it took connections again. */
  readonly backAt: number;
}

const BACK_WITHIN_MS = 10_000;

/** What must be so while a store is away, and once it is back: no answer without it, and all as before in 10 s. */
export function checkRecovery(
  log: ClientLog,
  absences: readonly Absence[],
  instances: readonly string[],
): { readonly broken: BrokenPromise[]; readonly notes: string[] } {
  const broken: BrokenPromise[] = [];
  const notes: string[] = [];
  absences.forEach((absence, index) => {
    const until = absences[index + 1]?.struckAt ?? Number.POSITIVE_INFINITY;
    const round = log.records.filter(({ sentAt }) => sentAt >= absence.from && sentAt < until);
    broken.push(
      ...round
        .filter(({ status, endedAt }) => status === 200 && endedAt < absence.to)
        .map((record) => brokenBy("Nothing is answered that is not in the ledger.", record)),
      ...round
        // Those at the next absence's edge are its own.
        .filter(({ sentAt, endedAt }) => sentAt > absence.backAt + BACK_WITHIN_MS && endedAt < until)
        .filter(({ status, errorType }) => status === 503 && errorType === "unavailable")
        .map((record) => brokenBy("The service is back within 10 s.", record)),
    );
    const served = instances.map((name) =>
      round.find(({ instance, status, sentAt }) => instance === name && status === 200 && sentAt > absence.to),
    );
    served.forEach((first, place) => {
      const backMs = (first?.endedAt ?? Number.POSITIVE_INFINITY) - absence.backAt;
      if (backMs > BACK_WITHIN_MS)
        broken.push({
          promise: "The service is back within 10 s.",
          what: `${instances[place]} served no client for ${Math.round(backMs / 1000)} s`,
        });
    });
    const waits = served.map((first) =>
      first === undefined ? "never" : seconds(Math.max(0, first.endedAt - absence.backAt)),
    );
    const awayMs = absence.backAt - absence.struckAt;
    notes.push(`${awayMs > 0 ? `Away for ${seconds(awayMs)} s; served` : "Served"} again after ${waits.join(", ")} s.`);
  });
  return { broken, notes };
}

function brokenBy(promise: string, record: ClientRecord): BrokenPromise {
  const { kind, ticket, instance, status, errorType, requestId } = record;
  return {
    promise,
    what: `${kind} ${ticket} by ${instance}: ${status} ${errorType ?? ""}`,
    requestIds: requestId === undefined ? [] : [requestId],
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
