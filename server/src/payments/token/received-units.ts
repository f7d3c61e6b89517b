/** Units that an event says moved to or from the treasury. */
export interface MovedUnits {
  readonly txHash: string;
  readonly units: bigint;
}

/**
 * What really arrived of each incoming transfer of one block, in their order: a token may keep a fee, or announce what it
 * does not move. `balanceChange` is the treasury's own. Units that leave the treasury in the transaction that brought some
 * are a fee; those of other transactions are the treasury's own payments. What is missing then is missing from all alike,
 * rounded down. It is never more than was announced.
 */
export function receivedUnits(
  incoming: readonly MovedUnits[],
  outgoing: readonly MovedUnits[],
  balanceChange: bigint,
): readonly bigint[] {
  const broughtBy = sumByTransaction(incoming);
  const takenBy = sumByTransaction(outgoing);
  const afterFees = incoming.map(({ txHash, units }) => {
    const brought = broughtBy.get(txHash) ?? 0n;
    const kept = max(0n, brought - (takenBy.get(txHash) ?? 0n));
    return brought === 0n ? 0n : (units * kept) / brought;
  });
  const expected = sum(afterFees);
  const paid = sum([...takenBy].map(([txHash, units]) => (broughtBy.has(txHash) ? 0n : units)));
  const arrived = max(0n, balanceChange + paid);
  return arrived >= expected ? afterFees : afterFees.map((units) => (units * arrived) / expected);
}

function sumByTransaction(moved: readonly MovedUnits[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { txHash, units } of moved) sums.set(txHash, (sums.get(txHash) ?? 0n) + units);
  return sums;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
