import type { Message } from "@trunkline/core/conversation.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import { LOOK, OPUS, SONNET, user, withParameters } from "@trunkline/testing/ask-messages.ts";
import { describe, expect, it } from "vitest";

describe("parameters", () => {
  it("are passed on", () => {
    const { body, dropped } = withParameters({ temperature: 0.5, topK: 40, stop: ["END"] });
    expect(body).toMatchObject({ temperature: 0.5, top_k: 40, stop_sequences: ["END"] });
    expect(dropped).toEqual([]);
  });

  it("of our range are brought into the API's, and that is said", () => {
    expect(withParameters({ temperature: 1.7 })).toMatchObject({
      body: { temperature: 1 },
      dropped: ["temperature"],
    });
  });

  it("that a newer model does not take are left out and named", () => {
    const both = withParameters({ temperature: 0.2, topP: 0.9 });
    expect(both).toMatchObject({ body: { temperature: 0.2 }, dropped: ["top_p"] });
    expect(both.body).not.toHaveProperty("top_p");
    expect(withParameters({ temperature: 0.2, topP: 0.9 }, "kimi-k2").dropped).toEqual([]);
    const none = withParameters({ temperature: 0.2, topP: 0.9, topK: 4 }, OPUS);
    expect(none.dropped).toEqual(["temperature", "top_p", "top_k"]);
    expect(Object.keys(none.body)).toEqual(["model", "max_tokens", "messages", "stream"]);
  });

  it("that the format has no place for are named", () => {
    const { dropped } = withParameters({
      seed: 1,
      frequencyPenalty: 0.5,
      presencePenalty: 0.5,
      choices: 2,
      logprobs: 0,
      others: { house_word: true },
    });
    expect(dropped).toEqual(["seed", "frequency_penalty", "presence_penalty", "n", "logprobs", "house_word"]);
    expect(withParameters({ choices: 1, frequencyPenalty: 0 }).dropped).toEqual([]);
  });
});

describe("thinking", () => {
  const think = (thinking: Parameters["thinking"], name = SONNET, maxTokens = 20_000, more = {}) =>
    withParameters({ thinking, maxTokens }, name, more);

  it.each([
    ["a budget of its own", { budgetTokens: 5_000 }, 5_000],
    ["little effort", { effort: "minimal" }, 1_024],
    ["low effort", { effort: "low" }, 2_048],
    ["medium effort", { effort: "medium" }, 8_192],
    ["high effort, with room for the answer", { effort: "high" }, 16_000],
  ] as const)("by a budget: %s", (_what, thinking, budget_tokens) => {
    expect(think(thinking)).toMatchObject({
      body: { thinking: { type: "enabled", budget_tokens } },
      dropped: [],
    });
  });

  it("has a budget below the limit of the answer, and what is cut is said", () => {
    expect(think({ budgetTokens: 30_000 })).toMatchObject({
      body: { thinking: { budget_tokens: 19_999 } },
      dropped: ["thinking_budget"],
    });
    expect(think({ budgetTokens: 100 })).toMatchObject({
      body: { thinking: { budget_tokens: 1_024 } },
      dropped: ["thinking_budget"],
    });
    const short = think({ effort: "high" }, SONNET, 1_024);
    expect(short.body).not.toHaveProperty("thinking");
    expect(short.dropped).toEqual(["thinking"]);
  });

  it("lets no temperature be sent with it", () => {
    const { body, dropped } = withParameters({
      thinking: { effort: "low" },
      maxTokens: 9_000,
      temperature: 0.5,
      topK: 3,
    });
    expect(body).not.toHaveProperty("temperature");
    expect(dropped).toEqual(["temperature", "top_k"]);
  });

  it.each([
    ["claude-opus-4-6", { effort: "xhigh" }, { type: "adaptive" }, "high", []],
    ["claude-opus-4-6", { budgetTokens: 5_000 }, { type: "enabled", budget_tokens: 5_000 }, undefined, []],
    [OPUS, { effort: "xhigh" }, { type: "adaptive" }, "xhigh", []],
    [OPUS, { budgetTokens: 5_000 }, { type: "adaptive" }, "medium", ["thinking_budget"]],
    ["claude-sonnet-5", { effort: "minimal" }, { type: "adaptive" }, "low", []],
    ["us.anthropic.claude-opus-4-8-v1:0", { effort: "low" }, { type: "adaptive" }, "low", []],
  ] as const)("is asked of %s by %j", (name, thinking, expected, effort, dropped) => {
    const asked = think(thinking, name);
    expect(asked.body.thinking).toEqual(expected);
    expect(asked.body.output_config).toEqual(effort === undefined ? undefined : { effort });
    expect(asked.dropped).toEqual(dropped);
  });

  it("is turned off where that can be, and otherwise said to go on", () => {
    for (const off of [{ effort: "none" }, { budgetTokens: 0 }] as const)
      expect(think(off)).toMatchObject({ body: { thinking: { type: "disabled" } }, dropped: [] });
    const always = think({ effort: "none" }, "claude-fable-5");
    expect(always.body).not.toHaveProperty("thinking");
    expect(always.dropped).toEqual(["thinking"]);
    const never = think({ effort: "none" }, "claude-3-5-haiku-20241022");
    expect(never.body).not.toHaveProperty("thinking");
    expect(never.dropped).toEqual([]);
  });

  it("gives way to a tool that must be called, and is not asked of a model that can't", () => {
    for (const { body, dropped } of [
      think({ effort: "high" }, SONNET, 20_000, { tools: [LOOK], toolChoice: "required" }),
      think({ effort: "high" }, "claude-3-5-sonnet-20241022"),
    ]) {
      expect(body).not.toHaveProperty("thinking");
      expect(dropped).toEqual(["thinking"]);
    }
  });
});

describe("the form of an answer", () => {
  const schema = {
    type: "object",
    description: "A place.",
    properties: {
      name: { type: "string", maxLength: 5 },
      minimum: { type: "integer", minimum: 1, maximum: 3, description: "How many." },
      list: { type: "array", minItems: 2, items: { type: "object", properties: {} } },
      either: { anyOf: [{ type: "null" }, { $ref: "#/$defs/inner" }] },
    },
    required: ["name"],
    $defs: { inner: { type: "object", additionalProperties: true } },
  };

  it("is a schema that the API takes: objects closed, limits in words", () => {
    const { body, dropped } = withParameters({}, SONNET, {
      answerForm: { type: "schema", name: "place", schema },
    });
    expect(body.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          description: "A place.",
          properties: {
            name: { type: "string", description: "(maxLength: 5)" },
            minimum: { type: "integer", description: "How many. (minimum: 1, maximum: 3)" },
            list: {
              type: "array",
              items: { type: "object", properties: {}, additionalProperties: false },
              description: "(minItems: 2)",
            },
            either: { anyOf: [{ type: "null" }, { $ref: "#/$defs/inner" }] },
          },
          required: ["name"],
          additionalProperties: false,
          $defs: { inner: { type: "object", additionalProperties: false } },
        },
      },
    });
    expect(dropped).toEqual([]);
  });

  it("is asked for in words where the model can't be held to it, behind what may be cached", () => {
    const cached: Message = {
      role: "system",
      content: [{ type: "text", text: "So.", cache: { ttl: undefined } }],
    };
    const answerForm = { type: "schema", name: "place", schema, description: "a place" } as const;
    const messages = [cached, user("Where?")];
    const { body, dropped } = withParameters({}, "kimi-k2", { messages, answerForm });
    expect(body.system[1].text).toContain(JSON.stringify(schema));
    expect(body).not.toHaveProperty("output_config");
    expect(dropped).toEqual(["response_format"]);
    const json = withParameters({}, SONNET, { answerForm: { type: "json" } });
    expect(json.body.system).toMatchObject([{ text: expect.stringContaining("one JSON object") }]);
    expect(json.dropped).toEqual([]);
  });
});
