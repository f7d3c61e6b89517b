import { Fault } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import { errorResponseSchema, toErrorResponse } from "./dialect.ts";

describe("an error response", () => {
  it("holds the fields of the fault and no others", () => {
    expect(toErrorResponse(new Fault("not_found", "There is no such thing."), "r1")).toEqual({
      error: { message: "There is no such thing.", code: 404, type: "not_found", request_id: "r1" },
    });
  });

  it("holds the details of the fault", () => {
    const fault = new Fault("provider_error", "All failed.", {
      param: "model",
      categories: ["hate"],
      attempts: [{ model: "acme/x", reason: "down", ms: 12.7 }],
      cost: 1.5e-7,
      retryAfterSeconds: 5,
      allow: ["GET"],
    });
    expect(toErrorResponse(fault, "r1")).toEqual({
      error: {
        message: "All failed.",
        code: 502,
        type: "provider_error",
        param: "model",
        request_id: "r1",
        categories: ["hate"],
        attempts: [{ model: "acme/x", reason: "down", ms: 13 }],
        cost: 1.5e-7,
      },
    });
    expect(errorResponseSchema.safeParse(toErrorResponse(fault, "r1")).success).toBe(true);
  });

  it("never holds its cause", () => {
    const fault = new Fault("internal", "Something went wrong.", {}, { cause: new Error("password hunter2") });
    expect(JSON.stringify(toErrorResponse(fault, "r1"))).not.toContain("hunter2");
  });
});
