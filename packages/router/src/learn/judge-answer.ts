import type { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import type { AnswerForm } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { parseProviderSchema } from "@trunkline/core/json-schema/answer-check.ts";
import { validateJson, WorkBudget, WorkBudgetExceeded } from "@trunkline/core/json-schema/validate.ts";

/** A longer answer is not checked against its form, in characters. */
const MAX_CHECKED_CHARS = 256 * 1024;

/** What an answer itself shows about its quality. */
type AnswerVerdict = "kept its form" | "broke its form" | "no answer" | "unjudged";

/** What an answer shows about its quality. */
export function judgeAnswer(
  { conversation }: Pick<Inference, "conversation">,
  { text, finish, hasMediaOrEmbeddings, hasToolCalls }: CollectedAnswer,
): AnswerVerdict {
  if (finish?.reason === "refused") return "no answer";
  // An answer that ended at the client's limit or stop word tells nothing about the model.
  if (finish?.reason === "length" || finish?.stopSequence !== undefined) return "unjudged";
  if (hasMediaOrEmbeddings || hasToolCalls) return "unjudged";
  if (text.trim() === "") return "no answer";
  const form = conversation.answerForm;
  if (form === undefined || text.length > MAX_CHECKED_CHARS) return "unjudged";
  return matchesForm(text, form) ? "kept its form" : "broke its form";
}

/** About 5 ms. What takes longer to check counts as valid, as does a schema that is written for its provider alone. */
const CHECK_WORK_BUDGET = 15_000;

function matchesForm(text: string, form: AnswerForm): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (form.type === "json") return true;
  const workBudget = new WorkBudget(CHECK_WORK_BUDGET);
  try {
    return parseProviderSchema(form.schema).every((schema) => validateJson(schema, value, workBudget) === undefined);
  } catch (error) {
    if (error instanceof WorkBudgetExceeded) return true;
    throw error;
  }
}
