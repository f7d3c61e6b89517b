import type { JsonObject } from "../http/json-frames.ts";
import type { Answer } from "./answer.ts";
import type { Finding } from "./report.ts";
import type { ConformanceTarget } from "./target.ts";
import type { EndpointClient } from "./visit.ts";

/** The answer to the first, plain request: every other check starts from it. */
export interface PlainAnswer {
  readonly answer: Answer;
  readonly body: JsonObject;
}

/** One rule of the provider contract. */
export interface Check {
  readonly name: string;
  appliesTo(target: ConformanceTarget, plain: PlainAnswer): boolean;
  run(endpointClient: EndpointClient, plain: PlainAnswer): Promise<readonly Finding[]>;
}

/** Whether the model answers in words: only then are there tokens, `max_tokens` and streaming. */
export function answersInText(target: ConformanceTarget, plain: PlainAnswer): boolean {
  return (target.type === "text" || target.type === "multimodal") && typeof plain.body.output === "string";
}
