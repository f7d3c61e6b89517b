import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Settlement } from "./settlement.ts";

/** What this process has settled since its start. */
export class SettledTotals {
  settlements = 0;
  inputTokens = 0;
  outputTokens = 0;
  cost: NanoCredits = 0n;

  count(settlements: readonly Settlement[]): void {
    this.settlements += settlements.length;
    for (const { inputTokens, outputTokens, cost } of settlements) {
      this.inputTokens += inputTokens;
      this.outputTokens += outputTokens;
      if (cost > 0n) this.cost += cost;
    }
  }
}
