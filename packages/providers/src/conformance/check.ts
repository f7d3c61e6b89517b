import type { JsonObject } from "@trunkline/core/json-object.ts";
import type { Answer, ConformanceTarget, EndpointClient } from "./endpoint-client.ts";

/** The result of one check. */
export interface Finding {
  /** A stable name in kebab case, for programs. */
  readonly check: string;
  readonly verdict: "pass" | "warn" | "fail";
  /** For people: what was seen, what was expected, what to do. */
  readonly message: string;
}

/** All findings about one endpoint. */
export interface ConformanceReport {
  /** Nothing failed; there may be warnings. */
  readonly passed: boolean;
  readonly findings: readonly Finding[];
}

export const pass = (check: string, message: string): Finding => ({ check, verdict: "pass", message });
export const warn = (check: string, message: string): Finding => ({ check, verdict: "warn", message });
export const fail = (check: string, message: string): Finding => ({ check, verdict: "fail", message });

/** The answer to the first, plain request, which every other check builds on. */
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

/** Whether the model answers with text: only then do tokens, `max_tokens` and streaming apply. */
export function answersInText(target: ConformanceTarget, plain: PlainAnswer): boolean {
  return (target.type === "text" || target.type === "multimodal") && typeof plain.body.output === "string";
}
