import type { Inference, TaskKind } from "@trunkline/core/inference.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";

interface AnswerContextSample {
  readonly system?: string;
  readonly user?: string;
  /** A tool's result. */
  readonly result?: string;
  readonly tools?: readonly string[];
  readonly toolChoice?: "none";
  readonly kind?: TaskKind;
  readonly extras?: Inference["extras"];
  readonly redactions?: Redactions;
  readonly answerForm?: Inference["conversation"]["answerForm"];
  readonly requestVerdict?: Verdict;
}

/** The context in which an answer is screened, from the request that a test describes. */
export function sampleAnswerContext({
  system,
  user = "Hello",
  result,
  tools = [],
  toolChoice,
  kind = "chat",
  extras,
  redactions = new Redactions(),
  answerForm,
  requestVerdict,
}: AnswerContextSample = {}) {
  return new AnswerContext(
    {
      conversation: {
        messages: [
          ...(system === undefined
            ? []
            : [{ role: "system" as const, content: [{ type: "text" as const, text: system }] }]),
          { role: "user", content: [{ type: "text", text: user }] },
          ...(result === undefined
            ? []
            : [{ role: "tool" as const, content: [{ type: "tool-result" as const, id: "1", text: result }] }]),
        ],
        tools: tools.map((name) => ({ name, description: "", inputSchema: {} })),
        toolChoice,
        answerForm,
      },
      task: { kind, word: kind, known: true },
      extras,
    },
    redactions,
    requestVerdict,
  );
}
