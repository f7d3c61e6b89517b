import { Secret } from "@trunkline/core/secret.ts";
import { describe, expect, it } from "vitest";
import { errorMessageOf, toProviderFailure } from "./provider-error.ts";

const refused = (code: number | undefined, words?: string) =>
  toProviderFailure({
    code,
    description: `answered with status ${code}`,
    message: words,
    retryAfterSeconds: 7,
  });

describe("toProviderFailure", () => {
  it.each([
    [302, "broken", "answered with a redirect, and redirects are not followed", true],
    [400, "rejected", "rejected the request: no such voice", false],
    [401, "refused", "refused our credential", true],
    [402, "refused", "has no credit left for us", true],
    [403, "refused", "refused our credential", true],
    [404, "rejected", "rejected the request: no such voice", false],
    [408, "timeout", "answered with status 408", true],
    [422, "rejected", "rejected the request: no such voice", false],
    [429, "rate-limited", "gets too many requests from us", true],
    [500, "broken", "answered with status 500: no such voice", true],
    [504, "timeout", "answered with status 504", true],
    [799, "broken", "answered with status 799: no such voice", true],
  ])("reads %d as %s", (code, kind, reason, blamesEndpoint) => {
    expect(refused(code, "no such voice")).toMatchObject({ kind, reason, blamesEndpoint });
  });

  it.each([
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Input is too long for requested model.",
  ])("knows that a prompt does not fit by the words: %s", (message) => {
    expect(refused(400, message)).toMatchObject({ kind: "rejected", isTooLong: true });
  });

  it("takes no other rejection for that", () => {
    expect(refused(400, "Unsupported value: 'temperature'.")).toMatchObject({ kind: "rejected", isTooLong: false });
  });

  it("has a reason also where the provider sends no message", () => {
    expect(refused(400).reason).toBe("answered with status 400");
    expect(refused(503).reason).toBe("answered with status 503");
    expect(refused(undefined).kind).toBe("broken");
  });

  it("says when to retry", () => {
    expect(refused(429).retryAfterSeconds).toBe(7);
    expect(refused(503).retryAfterSeconds).toBe(7);
  });
});

describe("errorMessageOf", () => {
  it("reads the message of an error object, or an error that is a string", () => {
    expect(errorMessageOf({ message: "too long", code: 400 }, undefined)).toBe("too long");
    expect(errorMessageOf("too long", undefined)).toBe("too long");
  });

  it.each([undefined, null, 1, {}, { message: 1 }, [], "", { message: " \n " }])("finds no message in %j", (error) => {
    expect(errorMessageOf(error, undefined)).toBeUndefined();
  });

  it("removes control characters and bidirectional overrides", () => {
    expect(errorMessageOf("a\u0000b\r\n\u001b[31mc\u202ed\u2028e", undefined)).toBe("a b [31mc d e");
  });

  it("masks the credential, also at the point where the message is cut", () => {
    const credential = new Secret("sk-0123456789");
    expect(errorMessageOf("Key sk-0123456789 is wrong: sk-0123456789", credential)).toBe(
      "Key [secret] is wrong: [secret]",
    );
    expect(errorMessageOf(`${"x".repeat(195)}sk-0123456789`, credential)).not.toContain("sk-");
  });

  it("keeps 200 characters, and never half of one", () => {
    expect(errorMessageOf("é".repeat(300), undefined)).toBe("é".repeat(200));
    expect(errorMessageOf("😀".repeat(300), undefined)).toBe("😀".repeat(200));
  });
});
