import { describe, expect, it } from "vitest";
import { previewOf, requestOf } from "./chat-request.ts";
import type { Turn } from "./conversation.ts";
import { readPlaygroundSearch } from "./playground-search.ts";
import { readSettings } from "./read-conversation.ts";
import { AUTO, FIRST_SETTINGS, findMistakes, mergeSearch, type Settings } from "./settings.ts";

const COLUMN = { id: "first", model: "acme/large", route: "hybrid" } as const;
const SCHEMA = { type: "object", required: ["a"] };
const TOOL = { name: "weather", parameters: { type: "object" } };
const full: Settings = {
  ...FIRST_SETTINGS,
  system: "Be brief.",
  columns: [COLUMN],
  maxTokens: 100,
  temperature: 0,
  topP: 0.5,
  frequencyPenalty: -1,
  presencePenalty: 1,
  seed: 7,
  stop: "END\n\nSTOP",
  effort: "low",
  verbosity: "high",
  tools: [JSON.stringify(TOOL)],
  toolChoice: "required",
  parallelCalls: false,
  answerForm: "schema",
  schema: JSON.stringify(SCHEMA),
  size: "64x64",
  voice: "slt",
  format: "wav",
  preferences: { speed: "fast", max_cost: 0.01, min_quality: undefined },
  fallbacks: ["acme/small"],
};
const turn = (text: string, files: Turn["files"] = []): Turn => ({ id: "1", text, files, replies: {} });
const ROUTING = { route: "hybrid", preferences: { speed: "fast", max_cost: 0.01 }, fallbacks: ["acme/small"] };

describe("a request of the playground", () => {
  it("says only what was set", () => {
    expect(requestOf(FIRST_SETTINGS, AUTO, [turn("Hi")])).toEqual({
      path: "/v1/chat/completions",
      body: { model: "auto", messages: [{ role: "user", content: "Hi" }] },
    });
  });

  it("says everything that was set", () => {
    expect(requestOf(full, COLUMN, [turn("Hi")]).body).toEqual({
      model: "acme/large",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      max_tokens: 100,
      temperature: 0,
      top_p: 0.5,
      frequency_penalty: -1,
      presence_penalty: 1,
      seed: 7,
      stop: ["END", "STOP"],
      reasoning_effort: "low",
      verbosity: "high",
      tools: [{ type: "function", function: TOOL }],
      tool_choice: "required",
      parallel_tool_calls: false,
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: SCHEMA, strict: true } },
      ...ROUTING,
    });
  });

  it("takes images, audio and files along with a message", () => {
    const files = [
      { id: "1", type: "image", name: "a.png", bytes: 1, url: "data:image/png;base64,AAAA" },
      { id: "2", type: "audio", name: "b.mp3", bytes: 1, url: "data:audio/mpeg;base64,BBBB" },
      { id: "3", type: "file", name: "c.pdf", bytes: 1, url: "data:application/pdf;base64,CCCC" },
      { id: "4", type: "image", name: "lost.png", bytes: 1 },
    ] as const;
    expect(requestOf(FIRST_SETTINGS, AUTO, [turn("Look", files)]).body).toMatchObject({
      messages: [
        {
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
            { type: "file", file: { filename: "c.pdf", file_data: "data:application/pdf;base64,CCCC" } },
            { type: "text", text: "Look" },
          ],
        },
      ],
    });
  });

  it("asks for an image or for speech with their own parameters", () => {
    expect(requestOf({ ...full, mode: "image" }, COLUMN, [turn("A cat")])).toEqual({
      path: "/v1/image",
      body: { input: "A cat", model: "acme/large", ...ROUTING, size: "64x64" },
    });
    expect(requestOf({ ...full, mode: "speech" }, { ...COLUMN, route: "cascade" }, [turn("Hi")])).toEqual({
      path: "/v1/audio",
      body: {
        input: "Hi",
        model: "acme/large",
        preferences: ROUTING.preferences,
        fallbacks: ROUTING.fallbacks,
        voice: "slt",
        format: "wav",
      },
    });
  });

  it("says what a cascade, a session and failover ask for, of text alone", () => {
    const steady = { ...FIRST_SETTINGS, check: { minLength: 300 }, session: "s-1", hedges: true, continues: false };
    const column = { ...AUTO, route: "cascade" } as const;
    const asked = { route: "cascade", check: { min_length: 300 }, session: "s-1", hedge: true, continue: false };
    expect(requestOf(steady, column, [turn("Hi")]).body).toMatchObject(asked);
    expect(previewOf(steady, column, "Hi", [])).toEqual({ task: "chat", input: "Hi", ...asked });
    expect(previewOf({ ...steady, mode: "image" }, column, "Hi", [])).toEqual({ task: "image", input: "Hi" });
  });

  it("is previewed without the content of large files", () => {
    const file = {
      id: "1",
      type: "image" as const,
      name: "",
      bytes: 1,
      url: `data:image/png;base64,${"A".repeat(60_000)}`,
    };
    const attachments = [{ type: "image", url: "data:image/png;base64," }];
    expect(previewOf(FIRST_SETTINGS, AUTO, "Hi", [file])).toEqual({ task: "chat", input: "Hi", attachments });
  });
});

describe("the settings", () => {
  it("say what can't be sent, by field", () => {
    expect(findMistakes(full)).toEqual({});
    const wrong = {
      ...full,
      maxTokens: 0.5,
      temperature: 3,
      topP: 2,
      stop: "a\nb\nc\nd\ne",
      tools: ["{"],
      schema: "[]",
    };
    expect(Object.keys(findMistakes(wrong))).toEqual(["maxTokens", "temperature", "topP", "stop", "tools", "schema"]);
    expect(Object.keys(findMistakes({ ...full, mode: "image", size: "9x9", maxTokens: 0 }))).toEqual(["size"]);
    const bounds = { max_cost: -1, max_latency_ms: 0, min_quality: 2 };
    expect(Object.keys(findMistakes({ ...full, preferences: bounds }))).toEqual(Object.keys(bounds));
  });

  it("come back from storage as they were, and never as something else", () => {
    expect(readSettings(JSON.parse(JSON.stringify(full)))).toEqual({
      ...full,
      preferences: { speed: "fast", max_cost: 0.01 },
    });
    for (const odd of [null, 1, "x", [], { columns: 1, tools: {}, mode: "x", preferences: [], check: 3, stop: 4 }])
      expect(readSettings(odd)).toEqual(FIRST_SETTINGS);
  });

  it("begin with what the address asks for", () => {
    const read = (search: Record<string, unknown>) => mergeSearch(FIRST_SETTINGS, readPlaygroundSearch(search));
    expect(read({ model: "acme/large", against: "acme/small" }).columns.map(({ model }) => model)).toEqual([
      "acme/large",
      "acme/small",
    ]);
    expect(read({ task: "image" }).mode).toBe("image");
    expect(read({ task: "coding" }).mode).toBe("chat");
    expect(read({ model: 5, against: "", task: "<script>" })).toEqual(FIRST_SETTINGS);
  });
});
