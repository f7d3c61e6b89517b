import { expect, it } from "vitest";
import { newId } from "./id.ts";
import { RequestTrace, type Stage } from "./request-trace.ts";

const STAGES: readonly Stage[] = [
  "authenticate",
  "admit",
  "validate",
  "claim",
  "route",
  "screen",
  "guardrail",
  "cache",
  "hold",
  "provider",
  "client",
  "charge",
  "settle",
];

it("keeps when each stage began and ended, and how long a stage took that takes turns with another one", () => {
  let nowMs = 100;
  const trace = new RequestTrace(newId(), "/v1/inference", { now: () => 0, monotonicMs: () => nowMs });
  trace.context = {
    traceId: "00000000000000000000000000000001",
    spanId: "0000000000000002",
    parentSpanId: undefined,
    isSampled: true,
    traceState: undefined,
  };
  for (const stage of STAGES) {
    nowMs += 2;
    trace.endStage(stage);
  }
  nowMs += 5;
  trace.endStage("provider");
  expect(trace.stages).toEqual(STAGES);
  expect(trace.stageMs).toEqual(STAGES.map((stage) => (stage === "provider" ? 7 : 2)));
  expect(trace.stageStartMs).toEqual(STAGES.map((_, place) => 2 * place));
  expect(trace.stageEndMs).toEqual(STAGES.map((stage, place) => (stage === "provider" ? 31 : 2 * place + 2)));
  expect([trace.providerMs, trace.settleMs, trace.elapsedMs]).toEqual([7, 2, 31]);
});
