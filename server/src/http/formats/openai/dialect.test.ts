import { FAULT_STATUS, Fault, type FaultType } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import { openAiErrorSchema, toOpenAiError } from "./dialect.ts";

describe("an error in OpenAI's format", () => {
  it.each([
    ["invalid_request", "invalid_request_error"],
    ["missing_api_key", "authentication_error"],
    ["insufficient_balance", "insufficient_quota"],
    ["budget_exceeded", "insufficient_quota"],
    ["insufficient_scope", "permission_error"],
    ["unsafe_input", "invalid_request_error"],
    ["unsafe_output", "invalid_request_error"],
    ["not_found", "not_found_error"],
    ["model_not_found", "invalid_request_error"],
    ["conflict", "conflict_error"],
    ["payload_too_large", "invalid_request_error"],
    ["idempotency_mismatch", "invalid_request_error"],
    ["rate_limited", "rate_limit_error"],
    ["internal", "server_error"],
    ["provider_error", "server_error"],
    ["overloaded", "server_error"],
  ] as const)("has for %s the type %s, and our own type as its code", (type, theirs) => {
    expect(toOpenAiError(new Fault(type, "Do this instead."))).toEqual({
      error: { message: "Do this instead.", type: theirs, param: null, code: type },
    });
  });

  it("holds the field at fault and the other details", () => {
    const fault = new Fault("provider_error", "All failed.", {
      param: "model",
      categories: ["hate"],
      attempts: [{ model: "acme/x", reason: "down", ms: 12.7 }],
      cost: 1.5e-7,
      retryAfterSeconds: 5,
    });
    expect(toOpenAiError(fault).error).toEqual({
      message: "All failed.",
      type: "server_error",
      param: "model",
      code: "provider_error",
      categories: ["hate"],
      attempts: [{ model: "acme/x", reason: "down", ms: 13 }],
      cost: 1.5e-7,
    });
  });

  it("matches the schema of the document for every fault", () => {
    for (const type of Object.keys(FAULT_STATUS) as FaultType[]) {
      expect(openAiErrorSchema.safeParse(toOpenAiError(new Fault(type, "No."))).success, type).toBe(true);
    }
  });
});
