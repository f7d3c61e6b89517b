import { randomBytes } from "node:crypto";
import type { Adapter } from "@trunkline/core/adapter.ts";
import type { UsagePart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import {
  JudgeFailure,
  type JudgeRequest,
  type JudgeResponse,
  type ModerationJudge,
} from "@trunkline/core/judge.ts";
import type { Model } from "@trunkline/core/model.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { textInference } from "@trunkline/core/plain-inference.ts";
import type { EndpointHealth } from "../health/endpoint-health.ts";
import { CATEGORY_DESCRIPTIONS } from "./category-meanings.ts";
import { unreadableAnswer } from "./judge-format.ts";
import { judgePrompt, readJudgement } from "./judge-prompt.ts";

/** One line of scores, with room for a model that counts generously. */
const TOKENS_MAX = 512;
const ANSWER_CHARACTERS = 4_096;
const MARK_BYTES = 16;

interface ModelJudgeOptions {
  /** `provider/name` */
  readonly name: string;
  readonly catalogue: { byName(name: string): readonly Model[] };
  readonly adapterFor: (model: Model) => Adapter;
  readonly health: EndpointHealth;
  readonly clock: Clock;
}

/** A registered model as a judge: called as any other is, once, and paid for by whoever runs the service. */
export function modelJudge(parts: ModelJudgeOptions): ModerationJudge {
  return {
    categories: Object.keys(CATEGORY_DESCRIPTIONS),
    async ask(question, signal): Promise<JudgeResponse> {
      const model = parts.catalogue.byName(parts.name).find(({ state }) => isCallable(state));
      if (model === undefined)
        throw new JudgeFailure("unreachable", `there is no model ${parts.name} that can be called`);
      if (!parts.health.admit(model.id))
        throw new JudgeFailure("unreachable", `the model ${parts.name} fails, and is left alone for a while`);
      const mark = randomBytes(MARK_BYTES).toString("hex");
      const { text, usage } = await callOnce(parts, model, inferenceOf(question, mark), signal);
      return {
        scores: readJudgement(text, mark),
        inputTokens: countOf(usage?.inputTokens),
        outputTokens: countOf(usage?.outputTokens),
      };
    },
  };
}

function isCallable(state: Model["state"]): boolean {
  return state === "active" || state === "probation";
}

function inferenceOf(question: JudgeRequest, mark: string): Inference {
  const plain = textInference("", normaliseTask("chat"));
  const parameters = { ...plain.parameters, maxTokens: TOKENS_MAX };
  return { ...plain, conversation: judgePrompt(question, mark), parameters };
}

/** The health hears of it. A call that the time box ends says nothing about the endpoint: others may wait longer. */
async function callOnce(
  { adapterFor, health, clock }: ModelJudgeOptions,
  model: Model,
  inference: Inference,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly usage: UsagePart | undefined }> {
  const { id } = model;
  const startedMs = clock.monotonicMs();
  let text = "";
  let usage: UsagePart | undefined;
  health.started(id);
  try {
    const call = {
      model,
      inference,
      requestId: `judge-${newId()}`,
      signal,
      onPause: (seconds: number) => health.pause(id, seconds),
      onRemainingCalls: (calls: number, seconds: number) => health.setRemainingCalls(id, calls, seconds),
    };
    for await (const part of adapterFor(model).call(call)) {
      if (part.type === "usage") usage = part;
      if (part.type === "text") text += part.text;
      if (text.length > ANSWER_CHARACTERS) break;
    }
    signal.throwIfAborted();
    const ms = clock.monotonicMs() - startedMs;
    health.succeeded(id, { ms, firstPartMs: undefined, outputTokens: 1, isProbe: true });
  } catch (error) {
    if (signal.aborted || !(error instanceof ProviderFailure)) {
      health.abandoned(id);
      throw error;
    }
    health.probeFailed(id, error);
    throw new JudgeFailure("unreachable", `the model ${error.reason}`, { cause: error });
  } finally {
    health.ended(id);
  }
  if (text.length > ANSWER_CHARACTERS) throw unreadableAnswer("is too long");
  return { text, usage };
}

function countOf(tokens: unknown): number | undefined {
  return typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}
