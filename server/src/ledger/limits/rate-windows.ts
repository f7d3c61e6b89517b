import type { RateState } from "./take-tokens.ts";

/** What the limits need of the store: one state per key, which all instances share. */
export interface RateWindows {
  /**
   * Replaces the state of a key by what `reckon` makes of it, with nobody in between, and tells its answer. `nowMs` is the
   * store's own clock, the only one that counts. `reckon` may be called again where another was faster.
   */
  update<Answer>(keyId: string, updateWindow: UpdateWindow<Answer>): Promise<Answer>;
}

export type UpdateWindow<Answer> = (
  known: RateState | undefined,
  nowMs: number,
) => { readonly state: RateState; readonly answer: Answer };
