import type { Extras, Parameters } from "@trunkline/core/inference.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { toOpenAiRequest } from "./request.ts";

/** The fields of a chat request besides its messages, and the unsupported ones. */
function send(endpoint: string, parameters: Partial<Parameters>, extras?: Extras) {
  const dropped: string[] = [];
  const inference = makeInference({
    streaming: false,
    parameters: { ...NO_PARAMETERS, ...parameters },
    extras,
  });
  const request = toOpenAiRequest(
    {
      model: makeModel({ wire: "openai", endpoint }),
      inference,
      requestId: "r1",
      onUnsupported: (field) => void dropped.push(field),
    },
    undefined,
  );
  const { model, messages, ...fields } = JSON.parse(request.body.toString());
  expect(model).toBe("model");
  expect(messages).toEqual([{ role: "user", content: "Hello?" }]);
  return { fields, dropped };
}

const ANYWHERE = "https://models.example.com/v1";
const OPENAI = "https://api.openai.com/v1";

describe("the parameters of a chat", () => {
  it("have their usual names", () => {
    const everything: Partial<Parameters> = {
      maxTokens: 100,
      temperature: 0,
      topP: 0.9,
      stop: ["a", "b"],
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: -0.1,
      choices: 2,
      logprobs: 3,
      thinking: { effort: "low" },
    };
    const rest = {
      temperature: 0,
      top_p: 0.9,
      stop: ["a", "b"],
      seed: 7,
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      n: 2,
      logprobs: true,
      top_logprobs: 3,
      reasoning_effort: "low",
    };
    expect(send(ANYWHERE, everything)).toEqual({ fields: { max_tokens: 100, ...rest }, dropped: [] });
    expect(send(OPENAI, everything)).toEqual({
      fields: { max_completion_tokens: 100, ...rest },
      dropped: [],
    });
  });

  it("leave out defaults", () => {
    const { fields } = send(ANYWHERE, { choices: 1, logprobs: 0, stop: ["end"] });
    expect(fields).toEqual({ logprobs: true, stop: "end" });
  });

  it.each([
    [OPENAI, { topK: 5 }, {}, ["top_k"]],
    ["https://openrouter.ai/api/v1", { topK: 5 }, { top_k: 5 }, []],
    ["https://api.groq.com/openai/v1", { logprobs: 1, choices: 2, seed: 1 }, { seed: 1 }, ["logprobs", "n"]],
    ["https://api.mistral.ai/v1", { seed: 3 }, { random_seed: 3 }, []],
    ["https://api.deepseek.com", { seed: 3, choices: 2 }, {}, ["seed", "n"]],
    [
      "https://api.cerebras.ai/v1",
      { maxTokens: 9, frequencyPenalty: 1, presencePenalty: 1 },
      { max_completion_tokens: 9 },
      ["frequency_penalty", "presence_penalty"],
    ],
    [OPENAI, { thinking: { budgetTokens: 2_000 } }, {}, ["thinking"]],
    [OPENAI, { thinking: { effort: "high", budgetTokens: 2_000 } }, { reasoning_effort: "high" }, []],
    ["https://openrouter.ai/api/v1", { thinking: { budgetTokens: 9 } }, { reasoning: { max_tokens: 9 } }, []],
    ["https://openrouter.ai/api/v1", { thinking: { budgetTokens: 0 } }, { reasoning: { effort: "none" } }, []],
    [
      "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      { thinking: { budgetTokens: 50 } },
      { enable_thinking: true, thinking_budget: 50 },
      [],
    ],
    [
      "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      { thinking: { budgetTokens: 0 } },
      { enable_thinking: false },
      [],
    ],
    [
      OPENAI,
      { size: "1x1", voice: "a", format: "b", dimensions: 3, pace: 2 },
      {},
      ["size", "voice", "format", "dimensions", "speed"],
    ],
  ] as const)("of %s for %j are %j, with unsupported %j", (endpoint, parameters, fields, dropped) => {
    const sent = send(endpoint, parameters);
    expect(sent.fields).toEqual(fields);
    expect([...sent.dropped].sort()).toEqual([...dropped].sort());
  });
});

describe("passed-through fields", () => {
  it("are parameters that only the provider interprets and that cost nothing, and fields of a client of this format", () => {
    const extras: Extras = { wire: "openai", fields: { logit_bias: { "50256": -100 }, user: "u1" } };
    expect(send(ANYWHERE, { others: { repetition_penalty: 1.1 } }, extras)).toEqual({
      fields: { repetition_penalty: 1.1, logit_bias: { "50256": -100 }, user: "u1" },
      dropped: [],
    });
  });

  it("never override our own fields, nor make a request cost more than quoted", () => {
    const others = { model: "gpt-9", stream: true, n: 9, max_tokens: 1e6, service_tier: "priority" };
    const fields = { messages: [], max_completion_tokens: 1e6, tools: [], web_search_options: {} };
    const sent = send(ANYWHERE, { maxTokens: 5, others }, { wire: "openai", fields });
    expect(sent.fields).toEqual({ max_tokens: 5 });
    expect([...sent.dropped].sort()).toEqual([...Object.keys(others), ...Object.keys(fields)].sort());
  });

  it.each(["quality", "partial_images", "steps", "enable_thinking", "min_tokens", "num_images"])(
    "never include fields of unknown cost: %s",
    (name) => {
      expect(send(ANYWHERE, { others: { [name]: 50 } })).toEqual({ fields: {}, dropped: [name] });
    },
  );

  it("are left out where the provider would refuse them", () => {
    const extras: Extras = { wire: "openai", fields: { logit_bias: {}, user: "u1", metadata: {} } };
    expect(send("https://api.groq.com/openai/v1", {}, extras)).toEqual({
      fields: { user: "u1", metadata: {} },
      dropped: ["logit_bias"],
    });
    expect(send("https://api.mistral.ai/v1", { others: { safe_prompt: true } }, extras)).toEqual({
      fields: { safe_prompt: true, metadata: {} },
      dropped: ["logit_bias", "user"],
    });
  });

  it("are never those of another format", () => {
    const extras: Extras = { wire: "anthropic", fields: { metadata: { user_id: "u1" } } };
    expect(send(ANYWHERE, {}, extras)).toEqual({ fields: {}, dropped: ["metadata"] });
  });
});
