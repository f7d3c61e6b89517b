import type { Caller } from "@trunkline/core/caller.ts";
import { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { Model, Price } from "@trunkline/core/model.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { AudioLength, Candidate } from "@trunkline/core/route.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import {
  SILENT,
  sampleCaller,
  sampleCandidate,
  sampleInference,
  sampleModel,
  sampleQuote,
} from "@trunkline/testing/samples.ts";
import { AccountFunds } from "../../src/ledger/billing/account-funds.ts";
import { Bill } from "../../src/ledger/billing/bill.ts";
import { IdempotentRun } from "../../src/ledger/billing/idempotent-run.ts";
import { SettlementWriter } from "../../src/ledger/billing/settlement-writer.ts";
import { MemoryLedger, type Passage } from "./memory-ledger.ts";
import { MemoryRuns } from "./memory-runs.ts";

/** A nano-credit a token in, two a token out, a thousand a picture. */
export const PLAIN_PRICE: Price = {
  version: "1",
  inputPerMillion: 1_000_000n,
  cachedInputPerMillion: undefined,
  cacheWritePerMillion: undefined,
  outputPerMillion: 2_000_000n,
  perImage: 1_000n,
  perRequest: 0n,
  perSecond: 0n,
};

/** A candidate at the plain price, quoted for ten tokens in and a hundred out. */
export function plainCandidate(
  name = "acme/plain",
  worst = 210n,
  change: Partial<Model> = {},
  audio: Partial<AudioLength> = {},
): Candidate {
  const model = sampleModel(name, { price: PLAIN_PRICE, maxOutputTokens: 100, ...change });
  return sampleCandidate(model, {
    quote: {
      ...sampleQuote(worst, worst),
      price: model.price,
      maxOutputTokens: 100,
      usualOutputTokens: 100,
      audio: { ...SILENT, ...audio },
    },
  });
}

export interface BillSite {
  readonly balance?: bigint;
  readonly caller?: Partial<Caller>;
  readonly passage?: Passage;
  readonly idempotencyKey?: string;
  readonly parameters?: Partial<Parameters>;
}

/** A bill at the beginning of a request, with everything around it that it deals with. */
export async function openBill({
  balance = 10_000n,
  caller: change = {},
  passage,
  idempotencyKey,
  parameters = {},
}: BillSite = {}) {
  const caller = sampleCaller(change);
  const ledger = new MemoryLedger({ [caller.accountId]: balance }, passage);
  const accountFunds = new AccountFunds(ledger, new ManualClock());
  const settlementWriter = new SettlementWriter(ledger, undefined, 100);
  const runs = new MemoryRuns();
  const clock = new ManualClock();
  const requestTrace = new RequestTrace(newId(clock.now()), "/v1/generate", clock);
  const inference = sampleInference();
  const limits = { ...inference.parameters, ...parameters };
  requestTrace.inference = { ...inference, parameters: limits };
  const idempotentRun = await IdempotentRun.begin(runs, idempotencyKey, caller, requestTrace, "body");
  const bill = await Bill.open(accountFunds, settlementWriter, caller, requestTrace);
  return {
    caller,
    ledger,
    accountFunds,
    settlementWriter,
    runs,
    requestTrace,
    idempotentRun,
    bill,
    /** What was delivered. */
    answer: new CollectedAnswer(true),
    /** The one request as it is recorded; undefined until then. */
    record: () => ledger.written.get(requestTrace.requestId),
    /** What could be spent now, by memory. */
    spendable: async () =>
      (await accountFunds.spendable(caller, requestTrace.receivedAt.getTime(), balance + 1n, balance + 1n)).balance,
    /** Holds for a candidate and lets it answer. */
    choose: async (candidate: Candidate) => {
      await bill.holdForFirstAffordable([candidate]);
      requestTrace.chosen = candidate;
      bill.startSegment(candidate, limits);
    },
  };
}
