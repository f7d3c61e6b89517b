import type { Books } from "./books.ts";
import type { ClientLog, Telling } from "./client-log.ts";
import type { BrokenPromise } from "./report.ts";

/** Everything there is to compare: what clients were told, what the books say, and what the provider was asked. */
export interface Evidence {
  readonly log: ClientLog;
  readonly books: Books;
  /** For each ticket, the ids of the requests that reached the provider for it. */
  readonly asked: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether instances were killed: only then may a client be left without an answer. */
  readonly wereKilled: boolean;
}

/** Where what clients were told is not what the books say, or not what may be told at all. */
export function checkTellings(evidence: Evidence): BrokenPromise[] {
  const { log, books, wereKilled } = evidence;
  return [
    ...log.tellings.flatMap((telling) => [
      ...checkStatus(telling),
      ...(wereKilled ? [] : checkEnd(telling)),
      ...checkAnswered(telling, evidence),
      ...checkFree(telling, books),
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
function checkStatus(telling: Telling): BrokenPromise[] {
  const { kind, status, errorType, outcome, saysWhenToComeBack, idempotencyKey } = telling;
  const promise = "Every request is served, or told to come back.";
  const what = `${describe(telling)}: ${status} ${errorType ?? ""}`;
  if (!UNKNOWN_ENDS.has(outcome)) return [{ promise, what: `${describe(telling)}: no answer in a minute` }];
  if (outcome !== "answered" || status === 200) return [];
  const mayBeTold =
    status === 503 || (status === 409 && idempotencyKey !== undefined) || (status === 502 && kind === "failing");
  if (!mayBeTold) return [{ promise, what, requestIds: idsOf(telling) }];
  if (status !== 502 && !saysWhenToComeBack)
    return [{ promise: "503 and 409 say when to come back.", what, requestIds: idsOf(telling) }];
  return [];
}

/** Whoever stays on the line is answered, as long as there is somebody to answer. */
function checkEnd(telling: Telling): BrokenPromise[] {
  const { outcome } = telling;
  if (outcome !== "cut" && outcome !== "unreached") return [];
  const promise = "Nobody is cut off where no instance is killed.";
  return [{ promise, what: `${describe(telling)}: ${outcome}`, requestIds: idsOf(telling) }];
}

/** An answer with a cost is in the books, once, with that cost; and it is the answer to what was asked. */
function checkAnswered(telling: Telling, { books, asked }: Evidence): BrokenPromise[] {
  const { outcome, status, cost, ticket, requestId = "", isReplayed, isOwnAnswer } = telling;
  if (outcome !== "answered" || (status !== 200 && cost === undefined)) return [];
  const promise = "Every answer is in the books once, with the cost that was told.";
  const requestIds = idsOf(telling);
  const found: BrokenPromise[] = [];
  if (status === 200 && !isOwnAnswer)
    found.push({ promise: "Everybody gets their own answer.", what: describe(telling), requestIds });
  if (cost === undefined) return [...found, { promise, what: `${describe(telling)}: no cost told`, requestIds }];
  // A replayed answer has an id of its own; what it repeats is one of the requests of this ticket.
  const candidates = isReplayed ? [...(asked.get(ticket) ?? [])] : [requestId];
  const booked = candidates.filter((id) => {
    const charges = books.charges.get(id) ?? [];
    const charged = cost === 0n ? charges.length === 0 : charges.length === 1 && charges[0] === cost;
    return charged && books.requests.get(id)?.cost === cost;
  });
  if (booked.length !== 1) {
    const written = candidates.map((id) => {
      const charges = books.charges.get(id) ?? [];
      return `${id}: ${books.requests.get(id)?.cost ?? "no record"}, charged ${charges.join(" and ") || "nothing"}`;
    });
    const what = `${describe(telling)} was told ${cost}; the books say ${written.join("; ") || "nothing"}`;
    found.push({ promise, what, requestIds });
  }
  return found;
}

/** Who was refused pays nothing. Where the store was away at the end, nobody knows, and the books may have it. */
function checkFree(telling: Telling, { charges }: Books): BrokenPromise[] {
  const { outcome, status, errorType, cost, requestId = "" } = telling;
  if (outcome !== "answered" || status < 400 || cost !== undefined || errorType === "unavailable") return [];
  if (!charges.has(requestId)) return [];
  return [{ promise: "Who was refused pays nothing.", what: describe(telling), requestIds: idsOf(telling) }];
}

/** No request is charged twice, and nothing that a client asked for once, however often it sent it. */
function checkCharges({ books, asked }: Evidence): BrokenPromise[] {
  const twice = [...books.charges].filter(([, amounts]) => amounts.length > 1);
  const repeated = [...asked]
    .map(([ticket, ids]) => ({ ticket, charged: [...ids].filter((id) => books.charges.has(id)) }))
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

/** Whatever was answered to a key first is answered for ever. */
function checkRepetitions({ tellings }: ClientLog): BrokenPromise[] {
  const first = new Map<string, Telling>();
  const broken: BrokenPromise[] = [];
  for (const telling of tellings) {
    const { idempotencyKey: key, outcome, status, bodyHash } = telling;
    if (key === undefined || outcome !== "answered" || status === 409 || status === 503) continue;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, telling);
    else if (earlier.status !== status || earlier.bodyHash !== bodyHash)
      broken.push({
        promise: "A repetition is given the same answer.",
        what: `${describe(telling)}: ${earlier.status} and then ${status}`,
        requestIds: [...idsOf(earlier), ...idsOf(telling)],
      });
  }
  return broken;
}

function describe({ kind, ticket, instance, path }: Telling): string {
  return `${kind} ${ticket} to ${path} of ${instance}`;
}

function idsOf({ requestId }: Telling): string[] {
  return requestId === undefined ? [] : [requestId];
}
