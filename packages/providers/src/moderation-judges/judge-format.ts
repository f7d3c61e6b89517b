import { JudgeFailure, type JudgeRequest } from "@trunkline/core/judge.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { isObject } from "../http/json-object.ts";

/** How an endpoint is asked: what its owner told the operator. */
export interface JudgeAccess {
  readonly key: Secret | undefined;
  /** The endpoint's own name for its model, where it has several. */
  readonly model: string | undefined;
}

/** How one kind of moderation endpoint is talked to. Pure: the dialling is another's. */
export interface JudgeFormat {
  /** The categories that it can tell of. */
  readonly categories: readonly string[];
  headers(access: JudgeAccess): Readonly<Record<string, string>>;
  body(question: JudgeRequest, access: JudgeAccess): unknown;
  /** 0 to 1 by our own categories. Throws JudgeFailure where it is no answer to this. */
  read(answer: unknown): Readonly<Record<string, number>>;
}

/** The usual way to show a key. */
export function bearerHeader({ key }: JudgeAccess): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key.reveal()}` };
}

/** What was answered is no judgement. */
export function unreadableAnswer(what: string, cause?: unknown): JudgeFailure {
  return new JudgeFailure("unreadable", `its answer ${what}`, { cause });
}

/** Whether a value is a score. */
export function isScore(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

/** An object, or no judgement. */
export function requireObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw unreadableAnswer(`has no ${what}`);
  return value;
}
