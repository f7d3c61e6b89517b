import { type ProviderCall, partsOf } from "@trunkline/core/adapter.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { callCandidates } from "@trunkline/providers/call/call-candidates.ts";
import type { CallCandidatesInput } from "@trunkline/providers/call/call-input.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { expect } from "vitest";
import { sampleCandidate, sampleInference, sampleModel } from "./samples.ts";

/** What a model of a test does when it is called. */
export type Script = (call: ProviderCall) => AsyncIterable<Part>;

export const hello: Part = { type: "text", text: "Hello" };
export const world: Part = { type: "text", text: " world" };
export const usage: Part = { type: "usage", inputTokens: 3, outputTokens: 2 };
export const finish: Part = { type: "finish", reason: "stop" };

/** An adapter that yields these parts one after the other; an error among them is thrown. */
export function says(...steps: readonly (Part | Error)[]): Script {
  return async function* () {
    for (const step of steps) {
      if (step instanceof Error) throw step;
      yield step;
    }
  };
}

/** The steps of a script as an adapter yields them: each part is a group of its own. */
export async function* inGroups(parts: AsyncIterable<Part>): AsyncGenerator<readonly Part[]> {
  for await (const part of parts) yield [part];
}

export const broken = (reason = "it broke") => new ProviderFailure("broken", reason);

export function candidateCalled(name: string): Candidate {
  return sampleCandidate(sampleModel(`acme/${name}`, { id: name }));
}

export const inference = sampleInference({ streaming: true });

/** Calls the scripted models in their order, on a clock that moves 10 ms with every reading. */
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
  const groups = callCandidates({
    candidates: Object.keys(scripts).map(candidateCalled),
    inference,
    requestId: "request",
    accountId: "client-account",
    signal: controller.signal,
    adapterFor: (model) => ({
      call: (call) => {
        called.push(model.name);
        return inGroups((scripts[model.name] ?? says())(call));
      },
    }),
    health,
    coverCost: async () => true,
    mayRetry: () => true,
    requote: (candidate) => candidate,
    countTokens: (text) => Math.ceil(text.length / 4),
    random: () => 0.5,
    wait: async (ms) => {
      nowMs += ms;
    },
    onAttempt: (attempt) => attempts.push(attempt),
    onChosen: (candidate) => chosen.push(candidate.model.name),
    ...changes,
  });
  return {
    parts: partsOf(groups),
    health,
    attempts,
    chosen,
    called,
    controller,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Reads everything and returns the parts and the error. */
    async drain() {
      const received: Part[] = [];
      try {
        for await (const group of groups) received.push(...group);
      } catch (error) {
        return { received, error };
      }
      return { received, error: undefined };
    },
  };
}

export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  throw new Error("Not a fault", { cause: error });
}

/** Makes an endpoint half-open, so that the next call is its one trial. */
export function halfOpen({ health, pass }: ReturnType<typeof stage>, modelId: string): void {
  for (let call = 0; call < 5; call++) health.observe(modelId).failed(broken());
  pass(5_000);
  expect(health.of(modelId).state).toBe("half-open");
}
