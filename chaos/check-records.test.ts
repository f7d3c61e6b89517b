import { describe, expect, it } from "vitest";
import { checkRecords } from "./check-records.ts";
import { ClientLog, type ClientRecord } from "./client-log.ts";
import type { LedgerState } from "./ledger-state.ts";

/** A plain answer that cost 50, as its client knows it. */
const answered: ClientRecord = {
  kind: "plain",
  ticket: "ticket-a",
  accountId: "account",
  instance: "instance-1",
  path: "/v1/ai/request",
  idempotencyKey: undefined,
  outcome: "answered",
  status: 200,
  errorType: undefined,
  requestId: "request-1",
  cost: 50n,
  bodyHash: "hash",
  isReplayed: false,
  saysWhenToComeBack: false,
  isOwnAnswer: true,
  sentAt: 0,
  endedAt: 1,
};

/** The same, asked for with a key, and asked for again. */
const kept: ClientRecord = { ...answered, kind: "idempotent", idempotencyKey: "ticket-a" };
const repeated: ClientRecord = { ...kept, requestId: "request-2", isReplayed: true };

const refused: ClientRecord = {
  ...answered,
  status: 503,
  errorType: "unavailable",
  cost: undefined,
  saysWhenToComeBack: true,
};

/** LedgerState in which these requests were charged so much, each charge apart. */
function booksOf(charged: Readonly<Record<string, readonly bigint[]>>): LedgerState {
  const entries = Object.entries(charged);
  return {
    requests: new Map(entries.map(([id, [cost = 0n]]) => [id, { accountId: "account", status: 200, cost }] as const)),
    charges: new Map(entries.filter(([, amounts]) => amounts.length > 0)),
  };
}

function promisesBrokenBy(
  records: readonly ClientRecord[],
  charged: Readonly<Record<string, readonly bigint[]>> = { "request-1": [50n] },
  asked: Readonly<Record<string, readonly string[]>> = { "ticket-a": ["request-1"] },
  { givenUp = [], wereKilled = true }: { givenUp?: readonly string[]; wereKilled?: boolean } = {},
): string[] {
  const log = new ClientLog();
  log.records.push(...records);
  log.givenUp.push(...givenUp);
  const calls = new Map(Object.entries(asked).map(([ticket, ids]) => [ticket, new Set(ids)]));
  return checkRecords({ log, ledger: booksOf(charged), asked: calls, wereKilled }).map(({ promise }) => promise);
}

const ONCE = "Every answer is in the ledger once, with the cost that the client received.";
const SERVED = "Every request is served, or refused with when to come back.";

describe("the records of clients", () => {
  it("is sound where the ledger say the same", () => {
    expect(promisesBrokenBy([answered])).toEqual([]);
    expect(promisesBrokenBy([kept, repeated])).toEqual([]);
    expect(promisesBrokenBy([{ ...answered, cost: 0n }], { "request-1": [] })).toEqual([]);
  });

  it("may be nothing, whatever the ledger say, where the connection was cut", () => {
    const cut: ClientRecord = { ...answered, outcome: "cut", status: 0, cost: undefined, requestId: undefined };
    expect(promisesBrokenBy([cut])).toEqual([]);
    expect(promisesBrokenBy([cut], {})).toEqual([]);
    expect(promisesBrokenBy([cut], {}, {}, { wereKilled: false })).toEqual([
      "No client is cut off where no instance is killed.",
    ]);
    const left: ClientRecord = { ...cut, outcome: "left" };
    expect(promisesBrokenBy([left], {}, {}, { wereKilled: false })).toEqual([]);
  });

  it("must be in the ledger", () => {
    expect(promisesBrokenBy([answered], {})).toEqual([ONCE]);
    expect(promisesBrokenBy([answered], { "request-1": [49n] })).toEqual([ONCE]);
    expect(promisesBrokenBy([answered], { "request-1": [] })).toEqual([ONCE]);
    expect(promisesBrokenBy([kept, { ...repeated, cost: 49n }])).toEqual([ONCE]);
    expect(promisesBrokenBy([{ ...answered, cost: undefined }])).toEqual([ONCE]);
  });

  it("must be charged once, however often it was asked for", () => {
    expect(promisesBrokenBy([answered], { "request-1": [50n, 50n] })).toContain("No request is charged twice.");
    expect(
      promisesBrokenBy([kept], { "request-1": [50n], "request-0": [50n] }, { "ticket-a": ["request-0", "request-1"] }),
    ).toEqual(["One idempotency key, one charge."]);
  });

  it("must be the same the next time", () => {
    expect(promisesBrokenBy([kept, { ...repeated, bodyHash: "other" }])).toEqual([
      "A repetition is given the same answer.",
    ]);
  });

  it("must be the answer to what was asked", () => {
    expect(promisesBrokenBy([{ ...answered, isOwnAnswer: false }])).toEqual(["Every client gets its own answer."]);
  });

  it("may be to come back, and when", () => {
    expect(promisesBrokenBy([refused], {})).toEqual([]);
    expect(promisesBrokenBy([{ ...refused, saysWhenToComeBack: false }], {})).toEqual([
      "503 and 409 say when to come back.",
    ]);
    // The store was away at its end: the outcome of the charge is open.
    expect(promisesBrokenBy([refused])).toEqual([]);
  });

  it("may be that its own provider failed, and then it is free", () => {
    const failed: ClientRecord = { ...refused, kind: "failing", status: 502, errorType: "provider_error" };
    expect(promisesBrokenBy([failed], {})).toEqual([]);
    expect(promisesBrokenBy([failed])).toEqual(["A refused request costs nothing."]);
    expect(promisesBrokenBy([{ ...failed, kind: "plain" }], {})).toEqual([SERVED]);
  });

  it.each([400, 401, 402, 404, 409, 422, 429, 500, 504])("may never be %i", (status) => {
    expect(promisesBrokenBy([{ ...refused, status, errorType: "whatever" }], {})).toEqual([SERVED]);
  });

  it("must be something in the end", () => {
    expect(promisesBrokenBy([{ ...refused, outcome: "silent" }], {})).toEqual([SERVED]);
    expect(promisesBrokenBy([], {}, {}, { givenUp: ["ticket-a"] })).toEqual([
      "An idempotent request is answered in the end.",
    ]);
  });
});
