import type { Clock } from "@trunkline/core/clock.ts";
import type { RateState, RateWindows, UpdateWindow } from "../../src/ledger/limits/token-bucket.ts";

/** The shared reckoning in memory, on a clock of its own. States pass through JSON, as they do in the store. */
export class MemoryRateWindows implements RateWindows {
  readonly #clock: Clock;
  readonly #states = new Map<string, string>();
  /** How often it was asked. */
  asked = 0;
  /** What every question fails with, while there is such a thing. */
  trouble: Error | undefined;
  /** What an answer has to wait for once it is reckoned. */
  answersAfter: () => Promise<void> = async () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async update<Answer>(keyId: string, updateWindow: UpdateWindow<Answer>): Promise<Answer> {
    this.asked += 1;
    if (this.trouble !== undefined) throw this.trouble;
    const kept = this.#states.get(keyId);
    const known = kept === undefined ? undefined : (JSON.parse(kept) as RateState);
    const { state, answer } = updateWindow(known, this.#clock.monotonicMs());
    this.#states.set(keyId, JSON.stringify(state));
    await this.answersAfter();
    return answer;
  }
}
