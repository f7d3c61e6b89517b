import { readFileSync } from "node:fs";
import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { httpAdapter } from "../../http/http-adapter.ts";
import { openAiFormat } from "./format.ts";

interface Recorded {
  readonly name: string;
  readonly status: number;
  readonly kind: string;
  readonly blamesEndpoint: boolean;
  readonly said: string;
  readonly body: unknown;
}

const RECORDED: readonly Recorded[] = JSON.parse(
  readFileSync(new URL("./fixtures/errors.json", import.meta.url), "utf8"),
);

/** The failure of a call with this response. */
async function failWith(status: number, body: string, headers: Record<string, string> = {}, more: Partial<Model> = {}) {
  const { url } = await serveHttp((_request, response) => void response.writeHead(status, headers).end(body));
  const model = makeModel({
    wire: "openai",
    endpoint: `${url}/v1`,
    authType: "bearer",
    credential: new Secret("sk-mine"),
    ...more,
  });
  const call = { model, inference: makeInference(), requestId: "r1", signal: new AbortController().signal };
  const parts = httpAdapter(openForTest(), openAiFormat).call(call)[Symbol.asyncIterator]();
  return parts.next().then(
    () => {
      throw new Error("The call should have failed.");
    },
    (failure: unknown) => failure,
  );
}

describe("an error of a provider", () => {
  it.each(RECORDED.map((recorded) => [recorded.name, recorded] as const))(
    "has a kind and the provider's own message: %s",
    async (_name, { status, kind, blamesEndpoint, said, body }) => {
      expect(await failWith(status, JSON.stringify(body))).toMatchObject({
        name: "ProviderFailure",
        kind,
        blamesEndpoint,
        said,
      });
    },
  );

  it("never repeats our credential", async () => {
    const body = JSON.stringify({ error: { message: "Incorrect API key provided: sk-mine." } });
    expect(await failWith(401, body)).toMatchObject({ said: "Incorrect API key provided: [secret]." });
  });

  it("never repeats the one of several keys that was used, also under a success status", async () => {
    const body = JSON.stringify({ error: { message: "No such key: sk-ours-2." } });
    const keys = [new Secret("sk-ours-2")];
    const failure = await failWith(200, body, {}, { credential: undefined, keys });
    expect(failure).toMatchObject({ said: "No such key: [secret]." });
    expect(JSON.stringify(failure)).not.toContain("sk-ours");
  });

  it.each(["", "<html>", "[]", "null", '"x"', "5", '{"error":null}', '{"error":{"message":5}}', '{"detail":[]}'])(
    "is only its status where there is no message: %j",
    async (body) => {
      expect(await failWith(500, body)).toMatchObject({ reason: "answered with status 500", said: undefined });
    },
  );

  it.each([
    [{ "retry-after": "20" }, 20],
    [{ "retry-after-ms": "1500" }, 2],
    [{ "retry-after": "7", "retry-after-ms": "6500" }, 7],
    [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }, 360],
    [{ "x-ratelimit-remaining-tokens": "12", "x-ratelimit-reset-tokens": "6m0s" }, undefined],
  ])("says when to retry, from %j", async (headers, retryAfterSeconds) => {
    const body = JSON.stringify({ error: { message: "Slow down", code: "rate_limit_exceeded" } });
    expect(await failWith(429, body, headers)).toMatchObject({ kind: "rate-limited", retryAfterSeconds });
  });
});
