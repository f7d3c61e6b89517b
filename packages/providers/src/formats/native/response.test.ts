import type { JsonObject } from "@trunkline/core/json-object.ts";
import type { ModelType } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { describe, expect, it } from "vitest";
import { NativeResponseReader } from "./response.ts";

/** The parts that are complete after this object. */
function take(answer: NativeResponseReader, object: JsonObject): Part[] {
  const parts: Part[] = [];
  answer.take(object, parts);
  return parts;
}

describe("text and media", () => {
  /** All parts of a body with these objects. */
  function read(frames: readonly JsonObject[], type: ModelType = "text", credential?: Secret): Part[] {
    const answer = new NativeResponseReader({ type, credential });
    const parts = frames.flatMap((frame) => take(answer, frame));
    return [...parts, ...answer.end()];
  }

  const text = (words: string): Part => ({ type: "text", text: words });
  const stop: Part = { type: "finish", reason: "stop" };
  const length: Part = { type: "finish", reason: "length" };
  const usage = (inputTokens: unknown, outputTokens: unknown): Part => ({
    type: "usage",
    inputTokens,
    outputTokens,
  });

  describe("a whole answer", () => {
    it("gives its usage, its text and its finish", () => {
      const answer = { output: "hi", usage: { input_tokens: 3, output_tokens: 1 }, latency_ms: 5 };
      expect(read([answer])).toEqual([usage(3, 1), text("hi"), stop]);
    });

    it("may be empty, and may lack usage", () => {
      expect(read([{ output: "" }])).toEqual([stop]);
      expect(read([{ output: "", usage: null }])).toEqual([stop]);
    });

    it("passes on any usage, which billing checks", () => {
      expect(read([{ output: "hi", usage: { input_tokens: -1, output_tokens: "many" } }])).toContainEqual(
        usage(-1, "many"),
      );
      expect(read([{ output: "hi", usage: {} }])).toContainEqual(usage(undefined, undefined));
    });

    it("passes on cache writes", () => {
      const said = { input_tokens: 3, output_tokens: 1, cache_write_tokens: 2 };
      expect(read([{ output: "hi", usage: said }])[0]).toStrictEqual({ ...usage(3, 1), cacheWriteTokens: 2 });
    });

    it("passes on cache reads and audio seconds, where they are reported", () => {
      const said = { input_tokens: 3, output_tokens: 1, cached_input_tokens: 2, seconds: 1.5 };
      expect(read([{ output: "hi", usage: said }])[0]).toStrictEqual({
        ...usage(3, 1),
        cachedInputTokens: 2,
        seconds: 1.5,
      });
      const unsaid = { ...said, cached_input_tokens: null, seconds: undefined };
      expect(read([{ output: "hi", usage: unsaid }])[0]).toStrictEqual(usage(3, 1));
      expect(read([{ delta: "hi" }, { done: true, usage: said }])).toContainEqual({
        ...usage(3, 1),
        cachedInputTokens: 2,
        seconds: 1.5,
      });
    });

    it("reports that it was truncated at its limit", () => {
      expect(read([{ output: "hi", finish_reason: "length" }])).toEqual([text("hi"), length]);
      expect(read([{ output: "hi", finish_reason: "max_tokens" }])).toEqual([text("hi"), length]);
      expect(read([{ output: "hi", finish_reason: "stop" }])).toEqual([text("hi"), stop]);
    });

    it("is held back until it is complete", () => {
      const answer = new NativeResponseReader({ type: "text", credential: undefined });
      expect(take(answer, { output: "hi" })).toEqual([]);
      expect(answer.end()).toEqual([text("hi"), stop]);
    });

    it.each([[{ output: "more" }], [{ delta: "more" }]])("refuses further content: %j", (frame) => {
      expect(() => read([{ output: "hi" }, frame])).toThrow("sent more after its whole answer");
    });

    it.each([
      {},
      { output: null },
      { output: 42 },
      { output: true },
      { output: [] },
      { output: {} },
      { output: { text: "hi" } },
      { output: { image_url: null } },
      { result: "hi" },
      { usage: { input_tokens: 1, output_tokens: 1 } },
    ])("is broken without an output: %j", (frame) => {
      expect(() => read([frame])).toThrow(
        expect.objectContaining({ kind: "broken", reason: "the answer has no output" }),
      );
    });

    it("is broken where the body is empty", () => {
      expect(() => read([])).toThrow("the answer has no output");
    });
  });

  describe("an answer with media", () => {
    it("is a URL with the provider's own object beside it", () => {
      const image = { image_url: "https://example.com/a.png", width: 16 };
      const audio = { audio_url: "DATA:audio/wav;base64,AAAA", text: "hi" };
      expect(read([{ output: image }], "image")).toEqual([
        { type: "media", kind: "image", url: image.image_url, source: image },
        stop,
      ]);
      expect(read([{ output: audio }], "audio")).toEqual([
        { type: "media", kind: "audio", url: audio.audio_url, source: audio },
        stop,
      ]);
    });

    it("may come as a bare URL from a media model, and only there", () => {
      const url = "https://example.com/a.png";
      const media = { type: "media", kind: "image", url, source: { image_url: url } };
      expect(read([{ output: ` ${url}\n` }], "image")).toEqual([media, stop]);
      expect(read([{ output: url }], "text")).toEqual([text(url), stop]);
      expect(() => read([{ output: "Note: I can't draw this." }], "image")).toThrow("text where an image");
    });

    it.each([
      "javascript:alert(1)",
      "file:///etc/passwd",
      "ftp://example.com/a.png",
      "//example.com/a.png",
      "a.png",
      "https://",
      "",
      42,
      {},
    ])("is broken with %j as a URL", (url) => {
      expect(() => read([{ output: { image_url: url } }], "image")).toThrow(
        expect.objectContaining({
          kind: "broken",
          reason: "answered with an image URL that is neither https to a public host nor data",
        }),
      );
    });

    it("is broken with only a dangerous URL", () => {
      expect(() => read([{ output: "javascript:alert(1)" }], "image")).toThrow(
        "neither https to a public host nor data",
      );
      expect(() => read([{ output: " file:///etc/passwd" }], "audio")).toThrow(
        "neither https to a public host nor data",
      );
    });

    it("is broken when it is done without media", () => {
      expect(() => read([{ done: true }], "image")).toThrow("the answer has no output");
    });
  });

  describe("a stream", () => {
    it("gives its deltas, its usage and its finish", () => {
      const frames = [
        { delta: "h" },
        { delta: "" },
        { delta: "i" },
        { done: true, usage: { input_tokens: 3, output_tokens: 1 } },
      ];
      expect(read(frames)).toEqual([text("h"), text("i"), usage(3, 1), stop]);
    });

    it("passes on every delta immediately", () => {
      const answer = new NativeResponseReader({ type: "text", credential: undefined });
      expect(take(answer, { delta: "h" })).toEqual([text("h")]);
      expect(answer.done).toBe(false);
      expect(take(answer, { delta: "i", done: true })).toEqual([text("i"), stop]);
      expect(answer.done).toBe(true);
    });

    it("ignores what follows its end, unknown objects, and a repeated whole answer", () => {
      const frames = [
        { model: "x" },
        { delta: "hi", done: false },
        { delta: null },
        { done: true, output: "hi" },
        { delta: "late" },
        { error: { message: "late" } },
        { done: true },
      ];
      expect(read(frames)).toEqual([text("hi"), stop]);
    });

    it("keeps usage and a finish reason that came before the end", () => {
      const frames = [
        { delta: "hi", usage: { input_tokens: 3, output_tokens: 1 } },
        { finish_reason: "length" },
        { done: true },
      ];
      expect(read(frames)).toEqual([text("hi"), usage(3, 1), length]);
    });

    it("may be empty", () => {
      expect(read([{ done: true }])).toEqual([stop]);
    });

    it("may be one whole answer", () => {
      expect(read([{ output: "hi" }, { done: true }])).toEqual([text("hi"), stop]);
      expect(read([{ output: "hi", done: true }])).toEqual([text("hi"), stop]);
    });

    it("is broken when it stops before it is done", () => {
      expect(() => read([{ delta: "h" }])).toThrow(
        expect.objectContaining({ kind: "broken", reason: "ended its stream before it was done" }),
      );
      expect(() => read([{ delta: "" }])).toThrow("ended its stream before it was done");
    });

    it.each([42, {}, ["h"], true])("is broken with %j as a delta", (delta) => {
      expect(() => read([{ delta }])).toThrow("sent a delta that is not a string");
    });
  });

  describe("an error object", () => {
    it.each([
      [{ message: "slow down", code: 429 }, "rate-limited", "gets too many requests from us", true],
      [{ message: "bad voice", code: 400 }, "rejected", "rejected the request: bad voice", false],
      [{ message: "bad voice", code: "422" }, "rejected", "rejected the request: bad voice", false],
      [{ message: "no", code: 401 }, "refused", "refused our credential", true],
      [{ message: "late", code: 504 }, "timeout", "reported an error", true],
      [{ message: "out of memory", code: 500 }, "broken", "reported an error: out of memory", true],
      [{ message: "out of memory" }, "broken", "reported an error: out of memory", true],
      [{ message: "odd", code: 302 }, "broken", "reported an error: odd", true],
      [{ code: "unknown" }, "broken", "reported an error", true],
      ["out of memory", "broken", "reported an error: out of memory", true],
      [true, "broken", "reported an error", true],
    ])("ends the call: %j", (error, kind, reason, blamesEndpoint) => {
      expect(() => read([{ delta: "h" }, { error }])).toThrow(
        expect.objectContaining({ kind, reason, blamesEndpoint }),
      );
    });

    it("does not show the credential", () => {
      const frames = [{ error: { message: "sk-123 is not valid", code: 400 } }];
      expect(() => read(frames, "text", new Secret("sk-123"))).toThrow("rejected the request: [secret] is not valid");
    });

    it.each([null, "", false])("is not recognised in %j", (error) => {
      expect(read([{ output: "hi", error }])).toEqual([text("hi"), stop]);
    });
  });

  describe("finish and usage", () => {
    it("report a refusal, and the reasoning tokens", () => {
      const frame = {
        output: "",
        finish_reason: "content_filter",
        usage: { output_tokens: 3, reasoning_tokens: 2 },
      };
      expect(read([frame])).toEqual([
        { type: "usage", inputTokens: undefined, outputTokens: 3, reasoningTokens: 2 },
        { type: "finish", reason: "refused" },
      ]);
    });
  });
});

describe("tool calls and embeddings", () => {
  const text = (words: string): Part => ({ type: "text", text: words });
  const stop: Part = { type: "finish", reason: "stop" };

  describe("an answer with native tool calls", () => {
    const tools = [{ name: "look", description: "", inputSchema: {} }];
    const readCalls = (frames: readonly JsonObject[]) => {
      const answer = new NativeResponseReader({ type: "text", credential: undefined }, { tools });
      return [...frames.flatMap((frame) => take(answer, frame)), ...answer.end()];
    };
    const call = { id: "c1", name: "look", arguments: { at: 1 } };
    const called: Part = { type: "tool-call", id: "c1", name: "look", arguments: '{"at":1}' };
    const toolCalls: Part = { type: "finish", reason: "tool-calls" };

    it.each([
      [[{ output: { tool_calls: [call] } }], [called, toolCalls]],
      [[{ output: { text: "hm", tool_calls: [call] } }], [text("hm"), called, toolCalls]],
      [[{ output: null, tool_calls: [call] }], [called, toolCalls]],
      [[{ output: "hm", tool_calls: [call] }], [text("hm"), called, toolCalls]],
      [[{ output: "hm", tool_calls: [] }], [text("hm"), stop]],
      [[{ output: "hm", tool_calls: null }], [text("hm"), stop]],
      [
        [{ delta: "h" }, { tool_calls: [call] }, { done: true }],
        [text("h"), called, toolCalls],
      ],
      [
        [{ delta: "{" }, { tool_calls: [call], done: true }],
        [text("{"), called, toolCalls],
      ],
      [
        [{ tool_calls: [call] }, { output: null, tool_calls: [call], done: true }],
        [called, toolCalls],
      ],
    ])("has them as parts: %j", (frames, parts) => {
      expect(readCalls(frames)).toEqual(parts);
    });

    it("is not over before it says so", () => {
      expect(() => readCalls([{ tool_calls: [call] }])).toThrow("ended its stream before it was done");
      expect(() => readCalls([{ output: "hi" }, { tool_calls: [call] }])).toThrow("sent more");
    });

    it.each([[{}], ["look"], [[{ ...call, name: "fly" }]], [[{ ...call, arguments: 1 }]]])(
      "is broken where they are invalid: %j",
      (list) => {
        expect(() => readCalls([{ output: null, tool_calls: list }])).toThrow("tool calls that can't be read");
        expect(() => readCalls([{ tool_calls: list }])).toThrow("tool calls that can't be read");
      },
    );

    it("is broken where no tools were given", () => {
      const answer = new NativeResponseReader({ type: "text", credential: undefined });
      expect(() => take(answer, { output: { tool_calls: [call] } })).toThrow("of tools that it was not given");
    });
  });

  describe("an answer with embeddings", () => {
    const embed = (output: unknown, inputs = 1) => {
      const answer = new NativeResponseReader({ type: "embedding", credential: undefined }, { tools: [] }, inputs);
      return [...take(answer, { output }), ...answer.end()];
    };
    const vector = (index: number, ...numbers: number[]): Part => ({
      type: "embedding",
      index,
      vector: numbers,
    });

    it("is one vector per input", () => {
      expect(embed({ embedding: [0.5, 1] })).toEqual([vector(0, 0.5, 1), stop]);
      expect(embed({ embeddings: [[1], [2]] }, 2)).toEqual([vector(0, 1), vector(1, 2), stop]);
      expect(embed([1, 2])).toEqual([vector(0, 1, 2), stop]);
      expect(embed([[1], [2]], 2)).toEqual([vector(0, 1), vector(1, 2), stop]);
    });

    it.each([
      [{ embedding: [1] }, 2, "answered with 1 vector to 2 inputs"],
      [{ embeddings: [[1], [2]] }, 1, "answered with 2 vectors to 1 input"],
      [{ embedding: [] }, 1, "a vector that is not made of numbers"],
      [{ embedding: ["1"] }, 1, "a vector that is not made of numbers"],
      [{ embeddings: "1" }, 1, "answered with 0 vectors to 1 input"],
      ["hi", 1, "the answer has no output"],
    ])("is broken with %j for %d inputs", (output, inputs, reason) => {
      expect(() => embed(output, inputs)).toThrow(reason);
    });
  });
});
