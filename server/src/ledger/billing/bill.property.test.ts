import type { Part } from "@trunkline/core/answer.ts";
import { Fault, type FaultType } from "@trunkline/core/fault.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { makeWav } from "@trunkline/testing/make-wav.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openBill, PLAIN_PRICE, plainCandidate } from "../../../test/support/open-bill.ts";

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.lorem({ maxCount: 60 }) }),
  fc.record({
    type: fc.constant("usage" as const),
    inputTokens: fc.nat(2_000),
    outputTokens: fc.nat(2_000),
    cachedInputTokens: fc.nat(2_000),
    cacheWriteTokens: fc.nat(2_000),
    seconds: fc.nat(30),
  }),
  fc.constant<Part>({ type: "media", kind: "audio", url: makeWav(), source: {} }),
  fc.constant<Part>({ type: "media", kind: "image", url: "https://example.test/i.png", source: {} }),
  fc.constant<Part>({ type: "tool-call", id: "1", name: "look", arguments: "{}" }),
  fc.constant<Part>({ type: "finish", reason: "stop" }),
);
const ending = fc.constantFrom("settle", "hang-up", "provider_error", "unsafe_output", "internal");

describe("whatever a request goes through", () => {
  it("it is settled once, costs no more than was held, and leaves nothing held", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 8 }),
        fc.nat(8),
        ending,
        fc.bigInt({ min: 210n, max: 6_000n }),
        fc.option(fc.bigInt({ min: 210n, max: 6_000n }), { nil: undefined }),
        async (parts, givenCount, how, balance, limit) => {
          const budget = limit === undefined ? undefined : ({ limit, period: "day" } as const);
          const {
            bill,
            run: idempotentRun,
            choose,
            caller,
            funds: accountFunds,
            ledger,
            record,
          } = await openBill({
            balance,
            caller: { budget },
          });
          const price = {
            ...PLAIN_PRICE,
            cachedInputPerMillion: 3_000_000n,
            cacheWritePerMillion: 4_000_000n,
            perSecond: 10n,
          };
          const audio = { spokenMs: 1_000, maxSpokenMs: 13_000 };
          await choose(plainCandidate("acme/plain", 210n, { price }, audio));
          for (const made of parts) bill.meter(made);
          for (const given of parts.slice(0, givenCount)) bill.deliver(given);

          if (how === "settle") expect((await bill.settle(idempotentRun)).cost).toBe(ledger.charged);
          else if (how === "hang-up") await bill.settleDisconnect(idempotentRun);
          else await bill.settleFault(new Fault(how as FaultType, "It ended."), idempotentRun);

          const settled = record();
          expect(settled?.cost).toBeLessThanOrEqual(settled?.held ?? -1n);
          expect(settled?.held).toBeLessThanOrEqual(limit === undefined || balance < limit ? balance : limit);
          expect(ledger.batches).toHaveLength(1);
          expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
          expect(await accountFunds.spendable(caller, new HeldClock().now(), 1_000_000n, 1_000_000n)).toEqual(
            {
              balance: balance - ledger.charged,
              budget: limit === undefined ? undefined : limit - ledger.charged,
            },
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
