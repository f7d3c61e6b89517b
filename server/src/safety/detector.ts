import type { Channel, Verdict } from "../domain/verdict.ts";
import type { SafetyPolicy } from "./policy.ts";

/**
 * Judges one text. Whoever implements this owes three things to the stages that use it:
 * the same text and channel give the same verdict; the work grows linearly with the text;
 * and on the output channel a text that is not refused holds no passage that alone would be refused,
 * because an answer that arrives in one piece is judged as a whole first and word by word only where that is refused.
 */
export interface Detector {
  /** From which the verdict's action follows, and with it the categories that a refusal names. */
  readonly policy: SafetyPolicy;
  judge(text: string, channel: Channel): Verdict;
}
