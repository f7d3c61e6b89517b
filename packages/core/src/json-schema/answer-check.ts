import type { Part } from "../answer.ts";
import type { AnswerForm } from "../conversation.ts";
import { countCharacters } from "../count-characters.ts";
import type { AnswerCheck, Inference } from "../inference.ts";
import { EFFORT_MAX, Effort, TooMuchWork } from "./effort.ts";
import { judgeJson, PATTERN_STEP } from "./judge-json.ts";
import { type LinearPattern, readPattern } from "./linear-pattern.ts";
import { BadSchema, isObject, type ReadSchema, readSchema } from "./read-schema.ts";

/** Why an answer fails its check, in words; undefined: it passes. */
export type AnswerJudge = (parts: readonly Part[]) => string | undefined;

/** How much it is to read one character of JSON. */
const READING = 1 / 16;

/** What judges the answers to a request: its own check, and the form that it asks the answer to have. */
export function judgeFor(inference: Inference, check: AnswerCheck): AnswerJudge {
  const rules = readRules(check, inference.conversation.answerForm);
  return (parts) => {
    // What calls a tool is no answer yet, and not to be judged as one.
    if (parts.some(({ type }) => type === "tool-call")) return undefined;
    const texts = textsOf(parts);
    if (texts.length === 0) return isPicture(parts) && !rules.asksForWords ? undefined : "it is empty";
    const effort = new Effort(EFFORT_MAX);
    try {
      for (const text of texts) {
        const fault = judgeText(text, rules, effort);
        if (fault !== undefined) return fault;
      }
      return undefined;
    } catch (error) {
      if (error instanceof TooMuchWork) return "it takes too long to check";
      throw error;
    }
  };
}

interface Rules {
  /** Whether anything is asked beyond that there is an answer. */
  readonly asksForWords: boolean;
  readonly minLength: number;
  readonly pattern: LinearPattern | undefined;
  readonly isJson: boolean;
  readonly mustBeObject: boolean;
  readonly schemas: readonly ReadSchema[];
}

function readRules(check: AnswerCheck, form: AnswerForm | undefined): Rules {
  const own = check.schema === undefined ? [] : [readSchema(check.schema)];
  return {
    asksForWords: form !== undefined || Object.values(check).some((rule) => rule !== undefined),
    minLength: check.minLength ?? 1,
    pattern: check.pattern === undefined ? undefined : readPattern(check.pattern),
    isJson: check.schema !== undefined || form !== undefined,
    mustBeObject: form?.type === "json",
    schemas: form?.type === "schema" ? [...own, ...readForeign(form.schema)] : own,
  };
}

/** A form is written for its provider, and may say more than can be made out here: then it is only checked to be JSON. */
function readForeign(schema: unknown): readonly ReadSchema[] {
  try {
    return [readSchema(schema)];
  } catch (error) {
    if (error instanceof BadSchema) return [];
    throw error;
  }
}

/** Some that are asked in words answer with something to look at or to hear. */
function isPicture(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "media");
}

/** The words of each of several answers to one request. */
function textsOf(parts: readonly Part[]): readonly string[] {
  const texts = new Map<number, string>();
  for (const part of parts) {
    if (part.type === "text") texts.set(part.choice ?? 0, (texts.get(part.choice ?? 0) ?? "") + part.text);
  }
  return [...texts.values()];
}

function judgeText(text: string, rules: Rules, effort: Effort): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (isShorter(text, rules.minLength)) return `it has fewer than ${rules.minLength} characters`;
  if (rules.pattern !== undefined) {
    effort.spend(rules.pattern.size * (text.length + 1) * PATTERN_STEP);
    if (!rules.pattern.isIn(text)) return "it does not match the pattern";
  }
  return rules.isJson ? judgeJsonText(text, rules, effort) : undefined;
}

/** Counted to the end only where that could change it: a character may be two units. */
function isShorter(text: string, length: number): boolean {
  return text.length < length || (text.length < length * 2 && countCharacters(text) < length);
}

function judgeJsonText(text: string, { schemas, mustBeObject }: Rules, effort: Effort): string | undefined {
  effort.spend(text.length * READING);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  if (mustBeObject && !isObject(value)) return "it is no JSON object";
  for (const schema of schemas) {
    const fault = judgeJson(schema, value, effort);
    if (fault !== undefined) return `it does not meet the schema: ${fault}`;
  }
  return undefined;
}
