import type { NanoCredits } from "@trunkline/core/money.ts";

/** While there is plenty, a slice is this part of what is left, so that slices shrink as the rest does. */
const LEASE_DIVISOR = 8n;

/** How much to lease of what is unleased: at least the need, or nothing. */
export function leaseSize(unleased: NanoCredits, need: NanoCredits): NanoCredits {
  if (unleased < need) return 0n;
  const share = unleased / LEASE_DIVISOR;
  return share > need ? share : need;
}
