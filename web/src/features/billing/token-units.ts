/** A typed amount of tokens in their smallest units; undefined where it is none, or finer than the token. */
export function parseTokens(text: string, decimals: number): bigint | undefined {
  const match = /^(\d{1,60})(?:[.,](\d*))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = "", fraction = ""] = match;
  if (fraction.replace(/0+$/, "").length > decimals) return undefined;
  const units = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return units > 0n ? units : undefined;
}

/** What units of a token are worth, in credits, rounded down to a nano-credit as the service does. */
export function creditsOf(units: bigint, decimals: number, creditsPerToken: string): number {
  const [whole = "0", fraction = ""] = creditsPerToken.split(".");
  const nano = (units * BigInt(whole + fraction) * 1_000_000_000n) / 10n ** BigInt(decimals + fraction.length);
  return Number(nano) / 1e9;
}

/** An address or a hash in short: its beginning and its end. */
export function shorten(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}
