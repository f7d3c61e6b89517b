import { expect } from "vitest";
import type { Part } from "../domain/answer.ts";
import { type Attempt, ProviderFailure } from "../domain/attempt.ts";
import { conversationOf } from "../domain/conversation.ts";
import type { Inference } from "../domain/inference.ts";
import { DEFAULT_CALL_LIMITS, type Model } from "../domain/model.ts";
import type { Candidate } from "../domain/route.ts";
import { Fault } from "../kit/fault.ts";
import type { ProviderCall } from "./adapter.ts";
import { type CallCandidatesInput, callCandidates } from "./call-candidates.ts";
import { EndpointHealth } from "./endpoint-health.ts";

/** What a model of a test does when it is called. */
export type Script = (call: ProviderCall) => AsyncIterable<Part>;

export const hello: Part = { type: "text", text: "Hello" };
export const world: Part = { type: "text", text: " world" };
export const usage: Part = { type: "usage", inputTokens: 3, outputTokens: 2 };
export const finish: Part = { type: "finish", reason: "stop" };

/** An adapter that says these things one after the other; an error among them is thrown. */
export function says(...steps: readonly (Part | Error)[]): Script {
  return async function* () {
    for (const step of steps) {
      if (step instanceof Error) throw step;
      yield step;
    }
  };
}

export const broken = (reason = "it broke") => new ProviderFailure("broken", reason);

function modelCalled(name: string): Model {
  return {
    id: name,
    provider: "acme",
    name,
    type: "text",
    description: "",
    accountId: "provider-account",
    wire: "trunkline",
    endpoint: "https://example.test/generate",
    authType: "none",
    credential: undefined,
    mayDialPrivate: false,
    price: { version: "1", inputPerMillion: 0n, outputPerMillion: 0n, perImage: 0n, perRequest: 0n },
    capabilities: [],
    specialties: [],
    avgLatencyMs: undefined,
    accuracyScore: undefined,
    costEfficiency: undefined,
    streaming: true,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    backups: [],
    limits: DEFAULT_CALL_LIMITS,
    state: "active",
  };
}

export function candidateCalled(name: string): Candidate {
  const quote = { inputTokens: 1, maxOutputTokens: 1, estimate: 1n, worst: 1n };
  return { model: modelCalled(name), quote, quality: 0.5, latencyMs: 1, errorRate: 0, reasons: [] };
}

export const inference: Inference = {
  task: { kind: "chat", word: "chat", known: true },
  conversation: conversationOf("Hi"),
  model: undefined,
  fallbacks: [],
  strategy: undefined,
  preferences: {
    speed: undefined,
    cost: undefined,
    quality: undefined,
    maxCost: undefined,
    maxLatencyMs: undefined,
    minQuality: undefined,
  },
  parameters: {
    maxTokens: undefined,
    temperature: undefined,
    size: undefined,
    voice: undefined,
    format: undefined,
    others: {},
  },
  streaming: true,
};

/** A call of the scripted models in their order, on a clock that moves 10 ms whenever somebody looks at it. */
export function stage(scripts: Readonly<Record<string, Script>>, changes: Partial<CallCandidatesInput> = {}) {
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    monotonicMs: () => {
      nowMs += 10;
      return nowMs;
    },
  };
  const health = new EndpointHealth(clock, () => 0);
  const attempts: Attempt[] = [];
  const chosen: string[] = [];
  const called: string[] = [];
  const controller = new AbortController();
  const parts = callCandidates({
    candidates: Object.keys(scripts).map(candidateCalled),
    inference,
    requestId: "request",
    signal: controller.signal,
    adapterFor: (model) => ({
      call: (call) => {
        called.push(model.name);
        return (scripts[model.name] ?? says())(call);
      },
    }),
    health,
    clock,
    secure: async () => true,
    onAttempt: (attempt) => attempts.push(attempt),
    onChosen: (candidate) => chosen.push(candidate.model.name),
    ...changes,
  });
  return {
    parts,
    health,
    attempts,
    chosen,
    called,
    controller,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Reads everything and tells what came and what was thrown. */
    async drain() {
      const heard: Part[] = [];
      try {
        for await (const part of parts) heard.push(part);
      } catch (error) {
        return { heard, error };
      }
      return { heard, error: undefined };
    },
  };
}

export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  throw new Error("Not a fault", { cause: error });
}

/** A breaker that lets the next call through as its one trial. */
export function halfOpen({ health, pass }: ReturnType<typeof stage>, modelId: string): void {
  for (let call = 0; call < 5; call++) health.failed(modelId, broken());
  pass(5_000);
  expect(health.of(modelId).state).toBe("half-open");
}
