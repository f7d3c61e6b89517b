import { texts } from "../../texts/texts.ts";
import { formatPercent } from "../../ui/format.ts";

const TEXTS = texts.operatorMoney.shareWords;

/** A model as far as its share of the traffic goes. */
export interface Shared {
  readonly weight: number;
  readonly canary_share: number;
}

/** How much of the traffic a model gets, in words. */
export function shareWords({ weight, canary_share: canary }: Shared): string {
  const load = weight === 0 ? TEXTS.onlyAsBackup : weight === 1 ? TEXTS.asAnyOther : TEXTS.timesItsPart(weight);
  if (canary === 1) return load;
  const part = canary === 0 ? TEXTS.noAutomaticRequests : TEXTS.inOfAutomaticRequests(formatPercent(canary));
  return weight === 1 ? part : `${load}, ${part}`;
}
