import { texts } from "../../texts/texts.ts";
import { formatNumber, formatPercent } from "../../ui/format.ts";

/** From this factor on, a factor reads better than a percentage. */
const TIMES_FROM = 10;

/** How a figure compares with that of the period before. */
export function changeWords(now: number, before: number, write: (value: number) => string): string {
  const words = texts.usage.change;
  if (now === before) return words.same;
  if (before === 0) return words.none(write(0));
  const factor = now / before;
  if (factor >= TIMES_FROM) return words.times(formatNumber(Math.round(factor)));
  return factor > 1 ? words.up(formatPercent(factor - 1)) : words.down(formatPercent(1 - factor));
}
