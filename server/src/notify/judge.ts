import type { EventType } from "@trunkline/core/alerts.ts";
import { divideUp, type NanoCredits, scaleDecimal } from "@trunkline/core/money.ts";

const THRESHOLD_DECIMALS = 6;

/** Which parts of a budget are used up. A budget of nothing has no parts. */
export function thresholdsReached(
  limit: NanoCredits,
  spent: NanoCredits,
  thresholds: readonly number[],
): number[] {
  if (limit <= 0n) return [];
  return thresholds.filter((threshold) => {
    const millionths = scaleDecimal(threshold, THRESHOLD_DECIMALS) ?? 0n;
    return millionths > 0n && spent >= divideUp(limit * millionths, 10n ** BigInt(THRESHOLD_DECIMALS));
  });
}

/** What an account was told last of its balance. */
export interface BalanceAlertState {
  readonly isLow: boolean;
  readonly isExhausted: boolean;
}

/** How it stands with an account's balance, and with what it was told of it. */
export interface BalanceStatus extends BalanceAlertState {
  readonly total: NanoCredits;
  /** undefined: no balance is low. */
  readonly mark: NanoCredits | undefined;
  /** What somebody listens for. */
  readonly listens: readonly string[];
}

/**
 * What is to be told now, and what is told then. What nobody listens for stays untold until somebody does. Whoever hears
 * only that credits are there again counts as told that there were none.
 */
export function evaluateBalance(
  stand: BalanceStatus,
): BalanceAlertState & { readonly events: readonly EventType[] } {
  const { total, mark, listens } = stand;
  const hears = (...types: EventType[]) => types.some((type) => listens.includes(type));
  const low = mark !== undefined && total < mark;
  const exhausted = total <= 0n;
  const isLow = low && (stand.isLow || hears("balance.low"));
  const isExhausted = exhausted && (stand.isExhausted || hears("balance.exhausted", "balance.restored"));
  const events: EventType[] = [];
  if (isLow && !stand.isLow) events.push("balance.low");
  if (isExhausted && !stand.isExhausted) events.push("balance.exhausted");
  if (!exhausted && stand.isExhausted) events.push("balance.restored");
  return { isLow, isExhausted, events };
}
