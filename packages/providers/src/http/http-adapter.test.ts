import type { Model, Wire } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { describe, expect, it } from "vitest";
import { keyIn } from "../../../../server/test/support/openai-upstream.ts";
import { startUpstream, type UpstreamAnswer } from "../../../../server/test/support/scripted-upstream.ts";
import { anthropicFormat } from "../formats/anthropic/format.ts";
import { openAiFormat } from "../formats/openai/format.ts";
import { httpAdapter } from "./http-adapter.ts";
import type { WireFormat } from "./wire-format.ts";

const secrets = (...keys: readonly string[]) => keys.map((key) => new Secret(key));
const error = (status: number, said: object = { message: "No." }): UpstreamAnswer => ({
  status,
  body: JSON.stringify({ error: said }),
});

/** The outcome of a call that a provider answers in this way, depending on the key that it was made with. */
async function outcomeOf(
  answer: (key: string) => UpstreamAnswer,
  more: Partial<Model> = {},
  wire: { readonly name: Wire; readonly format: WireFormat } = { name: "openai", format: openAiFormat },
) {
  const upstream = await startUpstream((request) => answer(keyIn(request)));
  const model = makeModel({
    wire: wire.name,
    endpoint: `${upstream.url}/v1`,
    authType: "bearer",
    credential: new Secret("sk-mine"),
    ...more,
  });
  const call = { model, inference: makeInference(), requestId: "r1", signal: new AbortController().signal };
  try {
    for await (const _ of httpAdapter(openForTest(), wire.format).call(call));
    return undefined;
  } catch (failure) {
    return failure;
  } finally {
    await upstream.close();
  }
}

describe("a provider's refusal", () => {
  it.each([
    [401, undefined, "credential"],
    [402, undefined, "funds"],
    [403, undefined, undefined],
    [403, { message: "No.", code: "insufficient_quota" }, "funds"],
    [429, { message: "No.", type: "insufficient_quota" }, "funds"],
    [429, undefined, undefined],
    [400, { message: "Your word was: insufficient_quota" }, undefined],
    [500, undefined, undefined],
  ])("with status %d and %j is an outage of kind %s", async (status, said, outage) => {
    expect(await outcomeOf(() => error(status, said))).toMatchObject({ name: "ProviderFailure", outage });
  });

  it("for lack of credit is distinguished from messages that only quote the request", async () => {
    const anthropic = { name: "anthropic", format: anthropicFormat } as const;
    const say = (message: string) =>
      outcomeOf(() => error(400, { type: "invalid_request_error", message }), {}, anthropic);
    expect(await say("Your credit balance is too low to access the API.")).toMatchObject({ outage: "funds" });
    expect(await say("metadata: unexpected value 'Your credit balance is too low'")).toMatchObject({
      kind: "rejected",
      outage: undefined,
      blamesEndpoint: false,
    });
  });
});

describe("of several keys", () => {
  it("one that is refused is no outage, as long as another may work", async () => {
    const keys = secrets("bad", "busy");
    const answer = (key: string) => (key === "bad" ? error(401) : error(429));
    expect(await outcomeOf(answer, { keys })).toMatchObject({ outage: undefined });
    expect(await outcomeOf(answer, { keys: secrets("busy", "bad") })).toMatchObject({ outage: undefined });
  });

  it("all that are refused are an outage", async () => {
    expect(await outcomeOf(() => error(401), { keys: secrets("one", "two") })).toMatchObject({
      outage: "credential",
    });
  });

  it("an account's own keys never cause an outage, also when they fail within an answer", async () => {
    const own = { keys: secrets("theirs"), ownKey: true };
    expect(await outcomeOf(() => error(401), own)).toMatchObject({ kind: "refused", outage: undefined });
    const within = { body: JSON.stringify({ error: { message: "No.", code: "insufficient_quota" } }) };
    expect(await outcomeOf(() => within, own)).toMatchObject({ kind: "refused", outage: undefined });
    expect(await outcomeOf(() => within)).toMatchObject({ kind: "refused", outage: "funds" });
  });
});
