import { Fault, type FaultType } from "@trunkline/core/fault.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { priceOf } from "@trunkline/core/price.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openBill, PLAIN_PRICE, plainCandidate } from "../../../test/support/open-bill.ts";

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.lorem({ maxCount: 30 }) }),
  fc.record({ type: fc.constant("thinking" as const), text: fc.lorem({ maxCount: 10 }) }),
  fc.record({
    type: fc.constant("usage" as const),
    inputTokens: fc.nat(2_000),
    outputTokens: fc.nat(500),
    cachedInputTokens: fc.nat(2_000),
    cacheWriteTokens: fc.nat(2_000),
  }),
  fc.constant<Part>({ type: "media", kind: "image", url: "https://example.test/i.png", source: {} }),
  fc.constant<Part>({ type: "tool-call", id: "1", name: "look", arguments: "{}" }),
);
const segment = fc.record({
  factor: fc.bigInt({ min: 0n, max: 20n }),
  perRequest: fc.bigInt({ min: 0n, max: 50n }),
  parts: fc.array(part, { maxLength: 5 }),
  /** What becomes of it when the next one starts. */
  left: fc.constantFrom("broken off", "thrown away", "forgotten"),
});
const ending = fc.constantFrom("settle", "hang-up", "provider_error", "unsafe_output", "internal");

describe("an answer of any segments", () => {
  it("costs their sum, at most the hold and at least nothing, wherever it ends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.nat(20),
        ending,
        fc.bigInt({ min: 5_000n, max: 40_000n }),
        async (legs, givenCount, how, balance) => {
          const { bill, answer, idempotentRun, caller, accountFunds, ledger, record, requestTrace } = await openBill({
            balance,
          });
          const heard: Part[] = [];
          for (const [index, { factor, perRequest, parts, left }] of legs.entries()) {
            const price = {
              ...PLAIN_PRICE,
              version: String(index + 1),
              inputPerMillion: factor * 900_001n,
              outputPerMillion: factor * 1_000_003n,
              perRequest,
            };
            const candidate = plainCandidate(`acme/m${index}`, 10n * factor + 101n * factor + perRequest, {
              price,
            });
            const before = bill.costSoFar;
            if (!(await bill.raiseHoldFor(candidate))) break;
            expect(accountFunds.heldOf(caller.accountId)).toBeGreaterThanOrEqual(before + candidate.quote.worst);
            requestTrace.chosen = candidate;
            bill.startSegment(candidate);
            for (const part of parts) bill.meter(part);
            if (index === legs.length - 1 || left === "broken off") heard.push(...parts);
            else if (left === "thrown away") bill.failCheck();
            else bill.dropSegment();
          }
          for (const given of heard.slice(0, givenCount)) answer.add(given);

          if (requestTrace.chosen === undefined || how === "hang-up")
            await bill.settleDisconnect(answer, idempotentRun);
          else if (how === "settle") {
            const receipt = await bill.settle(answer, idempotentRun);
            expect(receipt.cost).toBe(ledger.charged);
            if (receipt.legs !== undefined)
              expect(receipt.legs.reduce((sum, { cost }) => sum + cost, 0n)).toBe(receipt.cost);
          } else await bill.settleFault(new Fault(how as FaultType, "It ended."), answer, idempotentRun);

          const settled = record();
          if (settled === undefined) throw new Error("It was not settled.");
          expect(settled.cost).toBeGreaterThanOrEqual(0n);
          expect(settled.cost).toBeLessThanOrEqual(settled.held);
          expect(settled.held).toBeLessThanOrEqual(balance);
          expect(settled.legs).not.toHaveLength(1);
          if (settled.legs.length > 0) {
            expect(settled.legs.reduce((sum, { cost }) => sum + cost, 0n)).toBe(settled.cost);
            expect(settled.legs.reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(settled.outputTokens);
            let held = settled.held;
            for (const one of settled.legs) {
              const { factor = 0n, perRequest = 0n } = legs[Number(one.priceVersion) - 1] ?? {};
              const price = {
                ...PLAIN_PRICE,
                inputPerMillion: factor * 900_001n,
                outputPerMillion: factor * 1_000_003n,
                perRequest,
              };
              const priced = priceOf(price, one);
              expect(one.cost).toBe(priced < held ? priced : held);
              held -= one.cost;
            }
          }
          expect(ledger.batches).toHaveLength(1);
          expect(accountFunds.heldOf(caller.accountId)).toBe(0n);
          expect((await accountFunds.spendable(caller, new ManualClock().now(), 1_000_000n, 1_000_000n)).balance).toBe(
            balance - ledger.charged,
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});
