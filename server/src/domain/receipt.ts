import type { NanoCredits } from "../kit/money.ts";
import type { Model } from "./model.ts";

/** The last part of every answer: what it cost and who gave it. Only ever made from a charge that is on disk. */
export interface Receipt {
  readonly type: "receipt";
  readonly model: Pick<Model, "provider" | "name">;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: NanoCredits;
  readonly latencyMs: number;
}
