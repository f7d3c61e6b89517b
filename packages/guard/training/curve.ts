import type { Judged } from "./evaluate.ts";
import { shareAbove, thresholdAt } from "./measures.ts";

/** How much of the bad is found when so much of the good is mistaken for it. */

const FALSE_POSITIVE_RATES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const BAR_CHARACTERS = 40;

function curvePoints(judged: readonly Judged[]): readonly (readonly [mistaken: number, found: number])[] {
  const worst = ({ attack, unsafe }: Judged) => Math.max(attack, unsafe);
  const bad = judged.filter(({ row }) => row.label !== "benign").map(worst);
  const good = judged.filter(({ row }) => row.label === "benign").map(worst);
  if (bad.length === 0 || good.length === 0) return [];
  return FALSE_POSITIVE_RATES.map((share) => [share, shareAbove(bad, thresholdAt(good, share))] as const);
}

export function curveAsText(judged: readonly Judged[]): string {
  const lines = curvePoints(judged).map(
    ([mistaken, found]) =>
      `${`${(100 * mistaken).toFixed(1)} %`.padStart(7)} ${"#".repeat(Math.round(found * BAR_CHARACTERS)).padEnd(BAR_CHARACTERS)} ${found.toFixed(2)}`,
  );
  return ["harmless mistaken, and bad found at that", ...lines].join("\n");
}

export function curveAsSvg(judged: readonly Judged[]): string {
  const line = curvePoints(judged)
    .map(
      ([mistaken, found]) =>
        `${(40 + ((Math.log10(mistaken) + 3) / 3) * 440).toFixed(1)},${(280 - found * 250).toFixed(1)}`,
    )
    .join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 320" font-family="sans-serif" font-size="11">
<path d="M40 30V280H480" fill="none" stroke="#888"/>
<polyline points="${line}" fill="none" stroke="#2563eb" stroke-width="2"/>
<text x="40" y="300">0.1 %</text><text x="325" y="300">10 %</text><text x="180" y="315">harmless texts mistaken</text><text x="5" y="25">bad texts found</text>
</svg>
`;
}
