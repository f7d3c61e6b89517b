import { countCodePoints } from "../code-points.ts";
import type { AnswerForm } from "../conversation.ts";
import type { AnswerCheck, Inference } from "../inference.ts";
import { isObject } from "../json-object.ts";
import type { Part } from "../parts.ts";
import { compilePattern, type LinearPattern } from "./linear-pattern.ts";
import { InvalidSchema, type ParsedSchema, parseSchema } from "./parse-schema.ts";
import { ANSWER_WORK_BUDGET, PATTERN_STEP_COST, validateJson, WorkBudget, WorkBudgetExceeded } from "./validate.ts";

/** Why an answer fails its check, as part of a sentence; undefined: it passes. */
export type AnswerChecker = (parts: readonly Part[]) => string | undefined;

/** The work of parsing one character of JSON. */
const JSON_CHARACTER_COST = 1 / 16;

/** Checks the answers to a request: its own check, and the answer format that it asks for. */
export function createAnswerChecker(inference: Inference, check: AnswerCheck): AnswerChecker {
  const answerRules = readRules(check, inference.conversation.answerForm);
  return (parts) => {
    // A tool call is not yet an answer, and is not checked as one.
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
  /** Whether anything is required beyond a non-empty answer. */
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

/**
 * The schema of an answer format is written for its provider, and may use keywords that are not supported here. Then
 * the answer is only checked to be JSON: the list is empty.
 */
export function parseProviderSchema(schema: unknown): readonly ParsedSchema[] {
  try {
    return [parseSchema(schema)];
  } catch (error) {
    if (error instanceof InvalidSchema) return [];
    throw error;
  }
}

/** Some models answer a text prompt with an image or audio. */
function hasMedia(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "media");
}

/** The text of each of several answers to one request. */
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

/** Counts code points only where they could matter: one may be two UTF-16 units. */
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
