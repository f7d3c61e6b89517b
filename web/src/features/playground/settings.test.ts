import { describe, expect, it } from "vitest";
import { readPlaygroundSearch } from "./playground-search.ts";
import { readSettings } from "./read-settings.ts";
import { FIRST_SETTINGS, findMistakes, kindOf, mergeSearch, previewOf, requestOf, type Settings } from "./settings.ts";

const full: Settings = {
  ...FIRST_SETTINGS,
  input: "Hello",
  sides: [
    { model: "acme/large", route: "hybrid" },
    { model: "auto", route: "auto" },
  ],
  maxTokens: 100,
  temperature: 0,
  size: "64x64",
  voice: "slt",
  format: "wav",
  preferences: { speed: "fast", max_cost: 0.01, min_quality: undefined },
  fallbacks: ["acme/small"],
};
const [first, second] = full.sides;
const picture = { type: "image" as const, url: "data:image/png;base64,AAAA" };

describe("a request of the playground", () => {
  it("says only what was set", () => {
    expect(requestOf({ ...FIRST_SETTINGS, input: "Hi" }, second, [])).toEqual({
      path: "/v1/stream",
      body: { task: "chat", input: "Hi" },
    });
  });

  it("streams text with its own parameters", () => {
    expect(requestOf(full, first, [picture])).toEqual({
      path: "/v1/stream",
      body: {
        task: "chat",
        input: "Hello",
        model: "acme/large",
        route: "hybrid",
        preferences: { speed: "fast", max_cost: 0.01 },
        fallbacks: ["acme/small"],
        parameters: { max_tokens: 100, temperature: 0 },
      },
    });
  });

  it("says what a cascade, a session and trouble ask for, and of text alone", () => {
    const steady: Settings = {
      ...FIRST_SETTINGS,
      input: "Hi",
      check: { minLength: 300 },
      session: "s-1",
      hedges: true,
      continues: false,
    };
    const cascade = { model: "auto", route: "cascade" } as const;
    const asked = {
      route: "cascade",
      check: { min_length: 300 },
      session: "s-1",
      hedge: true,
      continue: false,
    };
    expect(requestOf(steady, cascade, []).body).toMatchObject(asked);
    expect(previewOf(steady, cascade, [])).toMatchObject(asked);
    expect(requestOf(steady, second, []).body).not.toHaveProperty("check");
    const picture = requestOf({ ...steady, task: "image" }, cascade, []).body;
    expect(Object.keys(picture)).toEqual(["input"]);
  });

  it("asks for pictures and speech where they are made", () => {
    expect(requestOf({ ...full, task: "image" }, second, [])).toMatchObject({
      path: "/v1/image",
      body: { input: "Hello", size: "64x64" },
    });
    expect(requestOf({ ...full, task: "TTS" }, second, [])).toMatchObject({
      path: "/v1/audio",
      body: { input: "Hello", voice: "slt", format: "wav" },
    });
  });

  it("attaches files to multimodal tasks alone", () => {
    expect(requestOf({ ...full, task: "vision" }, second, [picture]).body).toMatchObject({
      attachments: [picture],
    });
    expect(requestOf(full, second, [picture]).body).not.toHaveProperty("attachments");
  });

  it("is previewed under its task with the same wishes", () => {
    expect(previewOf({ ...full, task: "image" }, first, [])).toMatchObject({
      task: "image",
      model: "acme/large",
      parameters: { size: "64x64" },
      preferences: { speed: "fast", max_cost: 0.01 },
    });
    expect(previewOf({ ...FIRST_SETTINGS, task: "audio", input: "Hi" }, second, [])).toEqual({
      task: "audio",
      input: "Hi",
    });
  });
});

describe("a task", () => {
  it.each([
    ["image", "image"],
    ["Image Generation", "image"],
    ["speech", "audio"],
    ["chat", "text"],
    ["constructor", "text"],
    ["multimodal", "text"],
  ])("%s gives back %s", (task, kind) => {
    expect(kindOf(task)).toBe(kind);
  });
});

describe("what can't be sent", () => {
  it("is named by its field", () => {
    const wrong = {
      ...full,
      task: "a?",
      maxTokens: 1.5,
      temperature: 3,
      size: "8x8",
      preferences: { max_cost: -1, max_latency_ms: 0, min_quality: 2 },
    };
    expect(Object.keys(findMistakes(wrong)).sort()).toEqual(
      ["max_cost", "max_latency_ms", "maxTokens", "min_quality", "size", "task", "temperature"].sort(),
    );
  });

  it("is nothing where all is well", () => {
    expect(findMistakes(full)).toEqual({});
    expect(findMistakes(FIRST_SETTINGS)).toEqual({});
  });
});

describe("settings that were kept", () => {
  it("come back as they were", () => {
    expect(readSettings(JSON.parse(JSON.stringify(full)))).toEqual({
      ...full,
      preferences: { speed: "fast", max_cost: 0.01 },
    });
  });

  it.each([null, 7, "x", [], { sides: 5, task: {}, preferences: "no", fallbacks: [1], maxTokens: "5" }])(
    "are replaced by the first ones where they can't be read: %j",
    (kept) => {
      expect(readSettings(kept)).toEqual(FIRST_SETTINGS);
    },
  );

  it("give way to what the address asks for", () => {
    const merged = mergeSearch(full, readPlaygroundSearch({ model: "a/b", against: "c/d", task: "code" }));
    expect(merged).toMatchObject({
      task: "code",
      input: "Hello",
      isSideBySide: true,
      sides: [
        { model: "a/b", route: "hybrid" },
        { model: "c/d", route: "auto" },
      ],
    });
    expect(mergeSearch(full, readPlaygroundSearch({ model: 5, task: "<script>" }))).toEqual(full);
  });
});
