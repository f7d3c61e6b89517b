import { readFileSync } from "node:fs";
import { Secret } from "@trunkline/core/secret.ts";
import { collect } from "@trunkline/testing/collect.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { httpAdapter } from "../../http/http-adapter.ts";
import { retryAfterOf } from "./errors.ts";
import { geminiFormat } from "./format.ts";

/** The failure of a call with this response. */
async function failWith(status: number, body: string | Buffer) {
  const { url } = await serveHttp((_request, response) => void response.writeHead(status).end(body));
  const model = makeModel({
    wire: "gemini",
    endpoint: url,
    authType: "x-api-key",
    credential: new Secret("AIza-secret"),
  });
  const call = { model, inference: makeInference(), requestId: "r1", signal: new AbortController().signal };
  return collect(httpAdapter(openForTest(), geminiFormat).call(call)).then(
    () => expect.fail("The call should have failed."),
    (error: unknown) => error,
  );
}

const fixture = (name: string) => readFileSync(new URL(`fixtures/error-${name}.json`, import.meta.url));

describe("an error of Gemini", () => {
  it.each([
    [
      400,
      "key",
      {
        kind: "refused",
        reason: "refused our credential",
        said: "API key not valid. Please pass a valid API key.",
      },
    ],
    [400, "place", { kind: "refused", said: "User location is not supported for the API use." }],
    [
      400,
      "request",
      {
        kind: "rejected",
        reason: "rejected the request: * GenerateContentRequest.contents: contents is not specified",
        blamesEndpoint: false,
      },
    ],
    [404, "model", { kind: "rejected", blamesEndpoint: false }],
    [429, "quota", { kind: "rate-limited", retryAfterSeconds: 35 }],
    [
      503,
      "overloaded",
      {
        kind: "broken",
        reason: "answered with status 503: The model is overloaded. Please try again later.",
      },
    ],
  ])("with status %d is understood: %s", async (status, name, failure) => {
    expect(await failWith(status, fixture(name))).toMatchObject(failure);
    // In a stream without events, errors come in a list.
    expect(await failWith(status, `[${fixture(name).toString()}]`)).toMatchObject(failure);
  });

  it("never shows the key", async () => {
    const body = JSON.stringify({ error: { code: 400, message: "Key AIza-secret is bad." } });
    expect(await failWith(400, body)).toMatchObject({ reason: "rejected the request: Key [secret] is bad." });
  });

  it("is only its status where there is no message", async () => {
    expect(await failWith(500, "<html>")).toMatchObject({ reason: "answered with status 500" });
    expect(await failWith(500, '{"error":"no"}')).toMatchObject({ reason: "answered with status 500" });
  });

  it.each([
    ["3s", 3],
    ["0.2s", 1],
    ["999999s", 86_400],
    ["soon", undefined],
    [7, undefined],
  ])("says when to retry: %j", (retryDelay, seconds) => {
    expect(retryAfterOf({ error: { details: [{}, { retryDelay }] } })).toBe(seconds);
  });
});
