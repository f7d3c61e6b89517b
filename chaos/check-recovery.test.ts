import { describe, expect, it } from "vitest";
import { checkRecovery } from "./check-recovery.ts";
import { ClientLog, type ClientRecord } from "./client-log.ts";

const absence = { struckAt: 900, from: 1_000, to: 31_000, backAt: 32_000 };

function recordOf(instance: string, status: number, sentAt: number, endedAt = sentAt + 10): ClientRecord {
  return {
    kind: "plain",
    ticket: "ticket",
    accountId: "account",
    instance,
    path: "/v1/ai/request",
    idempotencyKey: undefined,
    outcome: "answered",
    status,
    errorType: status === 503 ? "unavailable" : undefined,
    requestId: "request",
    cost: undefined,
    bodyHash: "hash",
    isReplayed: false,
    saysWhenToComeBack: true,
    isOwnAnswer: true,
    sentAt,
    endedAt,
  };
}

function promisesBrokenBy(records: readonly ClientRecord[], instances = ["one"]): string[] {
  const log = new ClientLog();
  log.records.push(...records);
  return checkRecovery(log, [absence], instances).broken.map(({ promise }) => promise);
}

const BACK = "The service is back within 10 s.";

describe("an outage", () => {
  it("is fine where all requests are refused for now and served soon after", () => {
    expect(
      promisesBrokenBy([recordOf("one", 503, 2_000), recordOf("one", 503, 40_000), recordOf("one", 200, 41_000)]),
    ).toEqual([]);
    // Sent before it and answered in it: its charge may have been the last to be written.
    expect(promisesBrokenBy([recordOf("one", 200, 950, 1_010), recordOf("one", 200, 33_000)])).toEqual([]);
  });

  it("allows no answer meanwhile", () => {
    expect(promisesBrokenBy([recordOf("one", 200, 2_000), recordOf("one", 200, 33_000)])).toEqual([
      "Nothing is answered that is not in the ledger.",
    ]);
  });

  it("is over after ten seconds, for good and on every instance", () => {
    expect(promisesBrokenBy([recordOf("one", 200, 33_000), recordOf("one", 503, 42_500)])).toEqual([BACK]);
    expect(promisesBrokenBy([recordOf("one", 200, 43_000)])).toEqual([BACK]);
    expect(promisesBrokenBy([recordOf("one", 200, 33_000)], ["one", "two"])).toEqual([BACK]);
  });
});
