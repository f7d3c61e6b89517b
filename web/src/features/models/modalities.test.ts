import { describe, expect, it } from "vitest";
import { modalitiesOf } from "./modalities.ts";

describe("what goes in and comes out", () => {
  it.each([
    ["text", ["chat"], ["text"], ["text"]],
    ["multimodal", ["vision"], ["text", "image"], ["text"]],
    ["image", ["image-generation"], ["text"], ["image"]],
    ["audio", ["speech"], ["text"], ["audio"]],
    ["audio", ["transcription"], ["audio"], ["text"]],
    ["embedding", ["embedding"], ["text"], ["vector"]],
  ] as const)("of a model for %s that lists %j", (type, capabilities, input, output) => {
    expect(modalitiesOf({ type, capabilities })).toEqual({ input, output });
  });
});
