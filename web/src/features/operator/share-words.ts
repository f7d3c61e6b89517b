import { formatPercent } from "../../ui/format.ts";

/** A model as far as its share of the traffic goes. */
export interface Shared {
  readonly weight: number;
  readonly canary_share: number;
}

/** How much of the traffic a model gets, in words. */
export function shareWords({ weight, canary_share: canary }: Shared): string {
  const load = weight === 0 ? "only as a backup" : weight === 1 ? "as any other" : `${weight} times its part`;
  if (canary === 1) return load;
  const part = canary === 0 ? "no automatic requests" : `in ${formatPercent(canary)} of automatic requests`;
  return weight === 1 ? part : `${load}, ${part}`;
}
