import type { ToolCallPart } from "@trunkline/core/answer.ts";
import type { StreamDetection } from "../detector.ts";
import type { AnswerContext } from "./answer-context.ts";
import { CERTAIN } from "./certainty.ts";

/** A call of a tool that the request did not offer. No model of its own accord knows such a tool: somebody put the call there. */
export function detectUnofferedToolCall(
  { name }: ToolCallPart,
  context: AnswerContext,
): StreamDetection | undefined {
  if (!context.isToolNotOffered(name)) return undefined;
  // A call stands beside the text, so it has no place in it.
  return { findings: [{ category: "injection", score: CERTAIN, start: 0, end: 0 }], normalised: [] };
}
