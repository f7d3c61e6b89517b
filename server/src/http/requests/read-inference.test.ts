import { attachmentsOf, textOf } from "@trunkline/core/conversation.ts";
import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { aiRequestBody, imageBody, readInference, splitKnownParameters, streamBody } from "./read-inference.ts";

describe("read-inference", () => {
  const BODY = { task: "chat", input: "Hello" };

  const read = (change: Record<string, unknown> = {}, form = aiRequestBody) =>
    readInference({ ...BODY, ...change }, form);
  /** The field that a body is refused for. */
  const blamed = (change: Record<string, unknown>, form = aiRequestBody) => {
    const fault = faultOf(() => read(change, form));
    expect(fault.type).toBe("invalid_request");
    expect(fault.message).toContain(fault.details.param);
    return fault.details.param;
  };

  describe("a request", () => {
    it("with the required fields alone leaves everything else to the service", () => {
      const inference = read();
      expect(inference).toMatchObject({
        task: { kind: "chat" },
        model: undefined,
        strategy: undefined,
        fallbacks: [],
        streaming: false,
      });
      expect(inference.parameters).toEqual({
        maxTokens: undefined,
        temperature: undefined,
        size: undefined,
        voice: undefined,
        format: undefined,
        others: {},
      });
      expect(textOf(inference.conversation)).toBe("Hello");
    });

    it("with every field is taken over in full", () => {
      const inference = read({
        model: "acme/x",
        route: "speed",
        preferences: {
          speed: "fast",
          cost: "low",
          quality: "high",
          max_cost: 0.000_000_001,
          max_latency_ms: 500,
          min_quality: 0.5,
        },
        parameters: {
          max_tokens: 5,
          temperature: 0.5,
          size: "16x8192",
          voice: "alto",
          format: "wav",
          seed: 7,
          stop: null,
          flag: true,
        },
        fallbacks: ["acme/y", "z"],
        attachments: [
          { type: "image", url: "https://example.test/i.png" },
          { type: "file", url: "data:text/plain;base64,aGk=" },
        ],
      });
      expect(inference).toMatchObject({
        model: "acme/x",
        strategy: "speed-optimized",
        preferences: {
          speed: "fast",
          cost: "low",
          quality: "high",
          maxCost: 1n,
          maxLatencyMs: 500,
          minQuality: 0.5,
        },
        parameters: {
          maxTokens: 5,
          temperature: 0.5,
          size: "16x8192",
          voice: "alto",
          format: "wav",
          seed: 7,
          others: { stop: null, flag: true },
        },
        fallbacks: ["acme/y", "z"],
      });
      expect(attachmentsOf(inference.conversation)).toHaveLength(2);
    });

    it("may hold null for every optional field, and unknown fields", () => {
      const nothing = {
        model: null,
        route: null,
        preferences: null,
        parameters: null,
        fallbacks: null,
        attachments: null,
        unknown: { deep: [] },
      };
      expect(read(nothing)).toEqual(read());
    });

    it.each([null, [], "text", 5])("that is %j is refused", (body) => {
      expect(faultOf(() => readInference(body, aiRequestBody))).toMatchObject({
        type: "invalid_request",
        message: "The body must be a JSON object.",
      });
    });
  });

  describe("a task", () => {
    it("is required, optional, or fixed by the operation", () => {
      expect(blamed({ task: undefined })).toBe("task");
      expect(read({ task: undefined }, streamBody).task.kind).toBe("text");
      expect(read({ task: null }, streamBody).task.kind).toBe("text");
      expect(read({ task: "code" }, streamBody).task.kind).toBe("code");
      expect(read({ task: "code" }, imageBody).task.kind).toBe("image");
      expect(read({ task: 5 }, imageBody).task.kind).toBe("image");
    });

    it.each(["", "a".repeat(65), "a\nb", "täsk", "a;b", "a\u0000", 5, []])("can't be %j", (task) => {
      expect(blamed({ task })).toBe("task");
    });

    it.each(["Text_Generation", "a b", "a/b.c-d_e", "X".repeat(64)])("can be %s", (task) => {
      expect(() => read({ task })).not.toThrow();
    });
  });

  describe("an input", () => {
    it("may have 400,000 characters, however many UTF-16 units these are", () => {
      expect(() => read({ input: "a".repeat(400_000) })).not.toThrow();
      expect(() => read({ input: "😀".repeat(400_000) })).not.toThrow();
      expect(blamed({ input: "a".repeat(400_001) })).toBe("input");
    });

    it.each([undefined, null, "", 5, {}, ["a"]])("can't be %j", (input) => {
      expect(blamed({ input })).toBe("input");
    });
  });

  describe("a model and a route", () => {
    it("may be left to the service by name", () => {
      expect(read({ model: "auto", route: "auto" })).toMatchObject({ model: undefined, strategy: undefined });
    });

    it.each([
      ["cost", "cost-optimized"],
      ["speed", "speed-optimized"],
      ["quality", "quality-optimized"],
      ["hybrid", "hybrid"],
      ["cost-optimized", "cost-optimized"],
    ])("may be %s, which is %s", (route, strategy) => {
      expect(read({ route }).strategy).toBe(strategy);
    });

    it.each(["", "fastest", "AUTO", "constructor", "__proto__", 5, {}])("can't be the route %j", (route) => {
      expect(blamed({ route })).toBe("route");
    });

    it("lists the routes where none matches", () => {
      expect(faultOf(() => read({ route: "fastest" })).message).toMatch(
        /auto, cost-optimized, .*hybrid.*cost, speed, quality/,
      );
    });

    it.each(["", "m".repeat(257), 5])("can't be the model %j", (model) => {
      expect(blamed({ model })).toBe("model");
    });
  });

  describe("a routing option", () => {
    it("may set a session, forbid a continuation by another model, and ask for hedging", () => {
      expect(read({ session: "talk-7", continue: false, hedge: true })).toMatchObject({
        session: "talk-7",
        continues: false,
        preferences: { hedge: true },
      });
      expect(read({ hedge: true, preferences: { hedge: false } }).preferences.hedge).toBe(false);
    });
  });

  describe("the first wrong field", () => {
    it.each<[string, Record<string, unknown>]>([
      ["preferences", { preferences: [] }],
      ["preferences.speed", { preferences: { speed: "slow" } }],
      ["preferences.cost", { preferences: { cost: "high" } }],
      ["preferences.quality", { preferences: { quality: "low" } }],
      ["preferences.max_cost", { preferences: { max_cost: -1 } }],
      ["preferences.max_cost", { preferences: { max_cost: 1e-10 } }],
      ["preferences.max_latency_ms", { preferences: { max_latency_ms: 0 } }],
      ["preferences.min_quality", { preferences: { min_quality: 1.1 } }],
      ["preferences.hedge", { preferences: { hedge: "yes" } }],
      ["hedge", { hedge: 1 }],
      ["session", { session: "" }],
      ["session", { session: "s".repeat(257) }],
      ["continue", { continue: "no" }],
      ["parameters", { parameters: "max" }],
      ["parameters.max_tokens", { parameters: { max_tokens: 0 } }],
      ["parameters.max_tokens", { parameters: { max_tokens: 1_000_001 } }],
      ["parameters.max_tokens", { parameters: { max_tokens: 1.5 } }],
      ["parameters.max_tokens", { parameters: { max_tokens: "5" } }],
      ["parameters.temperature", { parameters: { temperature: 2.1 } }],
      ["parameters.temperature", { parameters: { temperature: -0.1 } }],
      ["parameters.size", { parameters: { size: "15x100" } }],
      ["parameters.size", { parameters: { size: "100x8193" } }],
      ["parameters.size", { parameters: { size: "100" } }],
      ["parameters.size", { parameters: { size: "100X100" } }],
      ["parameters.voice", { parameters: { voice: "" } }],
      ["parameters.format", { parameters: { format: "f".repeat(65) } }],
      ["parameters.logit", { parameters: { logit: { a: 1 } } }],
      ["parameters.stop", { parameters: { stop: ["a"] } }],
      ["parameters", { parameters: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`p${index}`, 1])) }],
      ["fallbacks", { fallbacks: "x" }],
      ["fallbacks[1]", { fallbacks: ["x", 5] }],
      ["fallbacks", { fallbacks: Array.from({ length: 17 }, () => "x") }],
      ["attachments", { attachments: {} }],
      ["attachments[0]", { attachments: ["https://example.test"] }],
      ["attachments[0].type", { attachments: [{ type: "video", url: "https://example.test" }] }],
      ["attachments[0].url", { attachments: [{ type: "image" }] }],
      ["attachments[0].url", { attachments: [{ type: "image", url: "http://example.test/i.png" }] }],
      [
        "attachments[1].url",
        {
          attachments: [
            { type: "image", url: "https://example.test" },
            { type: "image", url: "file:///etc/passwd" },
          ],
        },
      ],
      ["attachments[0].url", { attachments: [{ type: "image", url: "data:no-comma" }] }],
      [
        "attachments",
        { attachments: Array.from({ length: 17 }, () => ({ type: "image", url: "https://example.test" })) },
      ],
    ])("is named: %s", (param, change) => {
      expect(blamed(change)).toBe(param);
    });
  });

  describe("a parameter at the top of the body", () => {
    it("counts where the operation lifts it, and wins over the one in `parameters`", () => {
      expect(read({ size: "64x64" }, imageBody).parameters.size).toBe("64x64");
      expect(read({ parameters: { size: "32x32" } }, imageBody).parameters.size).toBe("32x32");
      expect(read({ size: "64x64", parameters: { size: "32x32" } }, imageBody).parameters.size).toBe("64x64");
      expect(read({ size: null }, imageBody).parameters.size).toBe("1024x1024");
      expect(read({ size: "64x64" }).parameters.size).toBeUndefined();
    });

    it("is refused by the name it was given under", () => {
      expect(blamed({ size: "1x1" }, imageBody)).toBe("size");
      expect(blamed({ parameters: { size: "1x1" } }, imageBody)).toBe("parameters.size");
    });
  });
});

describe("known parameters", () => {
  describe("splitKnownParameters", () => {
    it("knows the parameters that most providers have", () => {
      expect(
        splitKnownParameters({
          top_p: 0.5,
          top_k: 40,
          stop: "END",
          seed: -3,
          frequency_penalty: 0.1,
          presence_penalty: 0.2,
          reasoning_effort: "low",
          own_word: true,
        }),
      ).toEqual({
        topP: 0.5,
        topK: 40,
        stop: ["END"],
        seed: -3,
        frequencyPenalty: 0.1,
        presencePenalty: 0.2,
        thinking: { effort: "low" },
        others: { own_word: true },
      });
    });

    it("leaves values that make no sense under their name to the provider", () => {
      const odd = { top_p: "much", top_k: 0, stop: 3, seed: 0.5, reasoning_effort: "huge" };
      expect(splitKnownParameters(odd)).toEqual({ others: odd });
    });
  });
});
