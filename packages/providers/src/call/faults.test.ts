import { Fault } from "@trunkline/core/fault.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { describe, expect, it } from "vitest";
import { providerStreamFault, streamFault } from "./faults.ts";

const ATTEMPTS = [
  { model: "acme/a", outcome: "failed", reason: "down", ms: 5, firstPartMs: undefined },
  { model: "acme/b", outcome: "cut-off", reason: "silence", ms: 900, firstPartMs: 20 },
] as const;

describe("an answer that broke off", () => {
  it.each([
    ["timeout", "provider_timeout", 504],
    ["broken", "provider_error", 502],
    ["refused", "provider_error", 502],
    ["too-large", "provider_error", 502],
    ["rate-limited", "provider_error", 502],
  ] as const)("by %s is reported as %s", (kind, type, status) => {
    const failure = new ProviderFailure(kind, "the provider fell silent");
    const fault = providerStreamFault(failure, ATTEMPTS);
    expect(fault).toMatchObject({ type, status, cause: failure });
    expect(fault?.message).toContain("the provider fell silent");
    expect(fault?.details.attempts).toEqual([
      { model: "acme/a", reason: "down", ms: 5 },
      { model: "acme/b", reason: "silence", ms: 900 },
    ]);
  });

  it("has no provider fault if no provider failed", () => {
    expect(providerStreamFault(new Error("a bug"), ATTEMPTS)).toBeUndefined();
    expect(providerStreamFault(undefined, [])).toBeUndefined();
  });
});

describe("streamFault", () => {
  it("passes faults on, and reports anything else but a provider failure as an internal error", () => {
    const fault = new Fault("unsafe_output", "No.");
    expect(streamFault(fault, [])).toBe(fault);
    const bug = new TypeError("undefined is not a function");
    expect(streamFault(bug, [])).toMatchObject({ type: "internal", cause: bug });
    expect(streamFault(new ProviderFailure("broken", "it broke"), []).type).toBe("provider_error");
  });
});
