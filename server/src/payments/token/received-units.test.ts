import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MovedUnits, receivedUnits } from "./received-units.ts";

const move = (txHash: string, units: bigint): MovedUnits => ({ txHash, units });
const moves = fc.array(
  fc.record({ txHash: fc.constantFrom("a", "b", "c"), units: fc.bigInt({ min: 0n, max: 10n ** 30n }) }),
  { maxLength: 6 },
);
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

describe("what arrived of transfers", () => {
  it("is what was announced where the balance says so", () => {
    expect(receivedUnits([move("a", 5n), move("b", 7n)], [], 12n)).toEqual([5n, 7n]);
  });

  it("is less where the same transaction takes a fee from the treasury", () => {
    expect(receivedUnits([move("a", 100n)], [move("a", 10n)], 90n)).toEqual([90n]);
  });

  it("is not less where the treasury pays in another transaction of the block", () => {
    expect(receivedUnits([move("a", 100n)], [move("b", 60n)], 40n)).toEqual([100n]);
    expect(receivedUnits([move("a", 100n)], [move("b", 300n)], -200n)).toEqual([100n]);
  });

  it("is missing from all alike where less arrived than was announced", () => {
    expect(receivedUnits([move("a", 30n), move("b", 10n)], [], 20n)).toEqual([15n, 5n]);
    expect(receivedUnits([move("a", 30n)], [], 0n)).toEqual([0n]);
  });

  it("is never more than announced, and together never more than the balance grew by", () => {
    fc.assert(
      fc.property(moves, moves, fc.bigInt({ min: -(10n ** 30n), max: 10n ** 31n }), (incoming, outgoing, change) => {
        const received = receivedUnits(incoming, outgoing, change);
        for (const [index, units] of received.entries())
          expect(units >= 0n && units <= (incoming[index]?.units ?? 0n)).toBe(true);
        const paid = sum(
          outgoing.filter(({ txHash }) => !incoming.some((move) => move.txHash === txHash)).map(({ units }) => units),
        );
        const arrived = change + paid;
        expect(sum(received) <= (arrived > 0n ? arrived : 0n)).toBe(true);
      }),
    );
  });
});
