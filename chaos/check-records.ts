import type { ClientLog, ClientRecord } from "./client-log.ts";
import type { LedgerState } from "./ledger-state.ts";
import type { BrokenPromise } from "./report.ts";

/** Everything there is to compare: what clients received, what the ledger says, and what the provider was asked. */
export interface Evidence {
  readonly log: ClientLog;
  readonly ledger: LedgerState;
  /** For each ticket, the ids of the requests that reached the provider for it. */
  readonly asked: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether instances were killed: only then may a client be left without an answer. */
  readonly wereKilled: boolean;
}

/** Where what clients received differs from the ledger, or must not be received at all. */
export function checkRecords(evidence: Evidence): BrokenPromise[] {
  const { log, ledger, wereKilled } = evidence;
  return [
    ...log.records.flatMap((record) => [
      ...checkStatus(record),
      ...(wereKilled ? [] : checkEnd(record)),
      ...checkAnswered(record, evidence),
      ...checkFree(record, ledger),
    ]),
    ...checkCharges(evidence),
    ...checkRepetitions(log),
    ...log.givenUp.map((ticket) => ({
      promise: "An idempotent request is answered in the end.",
      what: `${ticket} was not`,
    })),
  ];
}

const UNKNOWN_ENDS = new Set(["answered", "cut", "left", "unreached"]);

/** What may be answered at all while nothing is wrong with the request, its key or its account. */
function checkStatus(record: ClientRecord): BrokenPromise[] {
  const { kind, status, errorType, outcome, saysWhenToComeBack, idempotencyKey } = record;
  const promise = "Every request is served, or refused with when to come back.";
  const what = `${describe(record)}: ${status} ${errorType ?? ""}`;
  if (!UNKNOWN_ENDS.has(outcome)) return [{ promise, what: `${describe(record)}: no answer in a minute` }];
  if (outcome !== "answered" || status === 200) return [];
  const isAllowed =
    status === 503 || (status === 409 && idempotencyKey !== undefined) || (status === 502 && kind === "failing");
  if (!isAllowed) return [{ promise, what, requestIds: idsOf(record) }];
  if (status !== 502 && !saysWhenToComeBack)
    return [{ promise: "503 and 409 say when to come back.", what, requestIds: idsOf(record) }];
  return [];
}

/** A client that waits is answered as long as an instance is up. */
function checkEnd(record: ClientRecord): BrokenPromise[] {
  const { outcome } = record;
  if (outcome !== "cut" && outcome !== "unreached") return [];
  const promise = "No client is cut off where no instance is killed.";
  return [{ promise, what: `${describe(record)}: ${outcome}`, requestIds: idsOf(record) }];
}

/** An answer with a cost is in the ledger, once, with that cost; and it is the answer to what was asked. */
function checkAnswered(record: ClientRecord, { ledger, asked }: Evidence): BrokenPromise[] {
  const { outcome, status, cost, ticket, requestId = "", isReplayed, isOwnAnswer } = record;
  if (outcome !== "answered" || (status !== 200 && cost === undefined)) return [];
  const promise = "Every answer is in the ledger once, with the cost that the client received.";
  const requestIds = idsOf(record);
  const found: BrokenPromise[] = [];
  if (status === 200 && !isOwnAnswer)
    found.push({ promise: "Every client gets its own answer.", what: describe(record), requestIds });
  if (cost === undefined) return [...found, { promise, what: `${describe(record)}: no cost`, requestIds }];
  // A replayed answer has an id of its own; what it repeats is one of the requests of this ticket.
  const candidates = isReplayed ? [...(asked.get(ticket) ?? [])] : [requestId];
  const booked = candidates.filter((id) => {
    const charges = ledger.charges.get(id) ?? [];
    const charged = cost === 0n ? charges.length === 0 : charges.length === 1 && charges[0] === cost;
    return charged && ledger.requests.get(id)?.cost === cost;
  });
  if (booked.length !== 1) {
    const written = candidates.map((id) => {
      const charges = ledger.charges.get(id) ?? [];
      return `${id}: ${ledger.requests.get(id)?.cost ?? "no record"}, charged ${charges.join(" and ") || "nothing"}`;
    });
    const what = `${describe(record)} received the cost ${cost}; the ledger says ${written.join("; ") || "nothing"}`;
    found.push({ promise, what, requestIds });
  }
  return found;
}

/** A refused request costs nothing. Where the store was away at the end the outcome is open, and the ledger may have a charge. */
function checkFree(record: ClientRecord, { charges }: LedgerState): BrokenPromise[] {
  const { outcome, status, errorType, cost, requestId = "" } = record;
  if (outcome !== "answered" || status < 400 || cost !== undefined || errorType === "unavailable") return [];
  if (!charges.has(requestId)) return [];
  return [{ promise: "A refused request costs nothing.", what: describe(record), requestIds: idsOf(record) }];
}

/** No request is charged twice, and nothing that a client asked for once, however often it sent it. */
function checkCharges({ ledger, asked }: Evidence): BrokenPromise[] {
  const twice = [...ledger.charges].filter(([, amounts]) => amounts.length > 1);
  // A client that left pays for what the provider was asked, and its key is free for another run.
  const isOfAnswer = (id: string) => ledger.charges.has(id) && ledger.requests.get(id)?.status !== 499;
  const repeated = [...asked]
    .map(([ticket, ids]) => ({ ticket, charged: [...ids].filter(isOfAnswer) }))
    .filter(({ charged }) => charged.length > 1);
  return [
    ...twice.map(([id, amounts]) => ({
      promise: "No request is charged twice.",
      what: `${id}: ${amounts.join(", ")}`,
      requestIds: [id],
    })),
    ...repeated.map(({ ticket, charged }) => ({
      promise: "One idempotency key, one charge.",
      what: `${ticket} was charged ${charged.length} times`,
      requestIds: charged,
    })),
  ];
}

/** The first answer to an idempotency key is repeated for every later request. */
function checkRepetitions({ records }: ClientLog): BrokenPromise[] {
  const first = new Map<string, ClientRecord>();
  const broken: BrokenPromise[] = [];
  for (const record of records) {
    const { idempotencyKey: key, outcome, status, bodyHash } = record;
    if (key === undefined || outcome !== "answered" || status === 409 || status === 503) continue;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, record);
    else if (earlier.status !== status || earlier.bodyHash !== bodyHash)
      broken.push({
        promise: "A repetition is given the same answer.",
        what: `${describe(record)}: ${earlier.status} and then ${status}`,
        requestIds: [...idsOf(earlier), ...idsOf(record)],
      });
  }
  return broken;
}

function describe({ kind, ticket, instance, path }: ClientRecord): string {
  return `${kind} ${ticket} to ${path} of ${instance}`;
}

function idsOf({ requestId }: ClientRecord): string[] {
  return requestId === undefined ? [] : [requestId];
}
