import { countCodePoints } from "../code-points.ts";
import type { AnswerForm } from "../conversation.ts";
import type { AnswerCheck, Inference } from "../inference.ts";
import type { Part } from "../parts.ts";
import { compilePattern, type LinearPattern } from "./linear-pattern.ts";
import { InvalidSchema, isObject, type ParsedSchema, parseSchema } from "./parse-schema.ts";
import { ANSWER_WORK_BUDGET, PATTERN_STEP_COST, validateJson, WorkBudget, WorkBudgetExceeded } from "./validate.ts";

/** Why an answer fails its check, in words; undefined: it passes. */
export type AnswerChecker = (parts: readonly Part[]) => string | undefined;

/** How much it is to read one character of JSON. */
const JSON_CHARACTER_COST = 1 / 16;

/** What judges the answers to a request: its own check, and the form that it asks the answer to have. */
export function createAnswerChecker(inference: Inference, check: AnswerCheck): AnswerChecker {
  const answerRules = readRules(check, inference.conversation.answerForm);
  return (parts) => {
    // What calls a tool is no answer yet, and not to be judged as one.
    if (parts.some(({ type }) => type === "tool-call")) return undefined;
    const texts = choiceTexts(parts);
    if (texts.length === 0) return hasMedia(parts) && !answerRules.requiresText ? undefined : "it is empty";
    const workBudget = new WorkBudget(ANSWER_WORK_BUDGET);
    try {
      for (const text of texts) {
        const fault = checkText(text, answerRules, workBudget);
        if (fault !== undefined) return fault;
      }
      return undefined;
    } catch (error) {
      if (error instanceof WorkBudgetExceeded) return "it takes too long to check";
      throw error;
    }
  };
}

interface AnswerRules {
  /** Whether anything is asked beyond that there is an answer. */
  readonly requiresText: boolean;
  readonly minLength: number;
  readonly pattern: LinearPattern | undefined;
  readonly isJson: boolean;
  readonly requiresObject: boolean;
  readonly schemas: readonly ParsedSchema[];
}

function readRules(check: AnswerCheck, form: AnswerForm | undefined): AnswerRules {
  const own = check.schema === undefined ? [] : [parseSchema(check.schema)];
  return {
    requiresText: form !== undefined || Object.values(check).some((rule) => rule !== undefined),
    minLength: check.minLength ?? 1,
    pattern: check.pattern === undefined ? undefined : compilePattern(check.pattern),
    isJson: check.schema !== undefined || form !== undefined,
    requiresObject: form?.type === "json",
    schemas: form?.type === "schema" ? [...own, ...parseProviderSchema(form.schema)] : own,
  };
}

/** A form is written for its provider, and may say more than can be made out here: then it is only checked to be JSON. */
function parseProviderSchema(schema: unknown): readonly ParsedSchema[] {
  try {
    return [parseSchema(schema)];
  } catch (error) {
    if (error instanceof InvalidSchema) return [];
    throw error;
  }
}

/** Some that are asked in words answer with something to look at or to hear. */
function hasMedia(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "media");
}

/** The words of each of several answers to one request. */
function choiceTexts(parts: readonly Part[]): readonly string[] {
  const texts = new Map<number, string>();
  for (const part of parts) {
    if (part.type === "text") texts.set(part.choice ?? 0, (texts.get(part.choice ?? 0) ?? "") + part.text);
  }
  return [...texts.values()];
}

function checkText(text: string, answerRules: AnswerRules, workBudget: WorkBudget): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (isShorter(text, answerRules.minLength)) return `it has fewer than ${answerRules.minLength} characters`;
  if (answerRules.pattern !== undefined) {
    workBudget.spend(answerRules.pattern.size * (text.length + 1) * PATTERN_STEP_COST);
    if (!answerRules.pattern.matches(text)) return "it does not match the pattern";
  }
  return answerRules.isJson ? checkJsonText(text, answerRules, workBudget) : undefined;
}

/** Counted to the end only where that could change it: a character may be two units. */
function isShorter(text: string, length: number): boolean {
  return text.length < length || (text.length < length * 2 && countCodePoints(text) < length);
}

function checkJsonText(
  text: string,
  { schemas, requiresObject: mustBeObject }: AnswerRules,
  workBudget: WorkBudget,
): string | undefined {
  workBudget.spend(text.length * JSON_CHARACTER_COST);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  if (mustBeObject && !isObject(value)) return "it is no JSON object";
  for (const schema of schemas) {
    const fault = validateJson(schema, value, workBudget);
    if (fault !== undefined) return `it does not meet the schema: ${fault}`;
  }
  return undefined;
}
