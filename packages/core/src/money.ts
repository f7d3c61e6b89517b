/** An amount of money: an integer count of 10⁻⁹ credits. One credit is one US dollar of list price. */
export type NanoCredits = bigint;

export const NANO_PER_CREDIT = 1_000_000_000n;

/** An amount as a JSON number. The quotient of two exact doubles prints at most nine decimals. */
export function toCredits(amount: NanoCredits): number {
  return Number(amount) / NANO_AS_NUMBER;
}

/**
 * A JSON number as an exact integer count of 10^-decimals; undefined where it has more decimals. Works on the shortest
 * decimal form, which is what the sender wrote, so 0.1 is exactly a tenth.
 */
export function scaleDecimal(value: number, decimals: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (match === null) return undefined;
  const [, sign = "", whole = "0", fraction = "", exponent = "0"] = match;
  const shift = decimals + Number(exponent) - fraction.length;
  const digits = whole + fraction;
  if (shift >= 0) return BigInt(`${sign}${digits}${"0".repeat(shift)}`);
  const kept = digits.slice(0, shift) || "0";
  const lost = digits.slice(Math.max(0, digits.length + shift));
  return /^0*$/.test(lost) ? BigInt(`${sign}${kept}`) : undefined;
}

/** Nano-credits from a JSON number of credits; undefined where it is finer than a nano-credit. */
export function fromCredits(credits: number): NanoCredits | undefined {
  return scaleDecimal(credits, 9);
}

/** Division that rounds up, so that many tiny calls are never free. For non-negative amounts. */
export function divideUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

/** An amount as text, exact and never in exponent form: `0.0000012 credits`. */
export function formatCredits(amount: NanoCredits): string {
  return `${formatCreditsNumber(amount)} credits`;
}

/** The number without its unit. */
export function formatCreditsNumber(amount: NanoCredits): string {
  const sign = amount < 0n ? "-" : "";
  const size = amount < 0n ? -amount : amount;
  // Most amounts are exact as doubles, which are quicker to divide.
  const isSafe = size <= MAX_SAFE_AMOUNT;
  let fraction = isSafe ? Number(size) % NANO_AS_NUMBER : Number(size % NANO_PER_CREDIT);
  const whole = isSafe ? (Number(size) - fraction) / NANO_AS_NUMBER : size / NANO_PER_CREDIT;
  if (fraction === 0) return `${sign}${whole}`;
  let decimals = 9;
  while (fraction % 10 === 0) {
    fraction /= 10;
    decimals--;
  }
  const digits = String(fraction);
  return `${sign}${whole}${POINT_AND_ZEROS[decimals - digits.length]}${digits}`;
}

/** What stands before the digits of a fraction, by how many zeros they lack. */
const POINT_AND_ZEROS = Array.from({ length: 9 }, (_, zeros) => `.${"0".repeat(zeros)}`);
const MAX_SAFE_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER);
const NANO_AS_NUMBER = Number(NANO_PER_CREDIT);
