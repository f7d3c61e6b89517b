import { formatMoney, formatMs } from "../../ui/format.ts";
import type { Run } from "./use-run.ts";

type Measured = Pick<Run, "cost" | "totalMs" | "firstMs">;

/** What differs between two answers, in sentences; none while there is nothing to compare. */
export function describeDifference(left: Measured, right: Measured): readonly string[] {
  return [
    describe("cost", left.cost, right.cost, formatMoney, "less"),
    describe("took", left.totalMs, right.totalMs, formatMs, "less"),
    describe("began", left.firstMs, right.firstMs, formatMs, "earlier"),
  ].filter((sentence) => sentence !== undefined);
}

function describe(
  verb: string,
  left: number | undefined,
  right: number | undefined,
  write: (value: number) => string,
  less: string,
): string | undefined {
  if (left === undefined || right === undefined) return undefined;
  // Nine decimals are all that an amount has; what floats add beyond is no difference.
  const gap = Number(Math.abs(left - right).toFixed(9));
  if (gap === 0) return `Both ${verb} the same.`;
  const [lower, higher] = left < right ? [left, right] : [right, left];
  const factor =
    lower > 0 && higher / lower >= 1.1 ? `, 1/${Number((higher / lower).toPrecision(2))} of the other` : "";
  return `${left < right ? "Left" : "Right"} ${verb} ${write(gap)} ${less}${verb === "began" ? "" : factor}.`;
}
