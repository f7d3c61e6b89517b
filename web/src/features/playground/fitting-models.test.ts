import { describe, expect, it } from "vitest";
import { sidesFor } from "./fitting-models.ts";

const OFFERS = [
  { name: "writer", full_name: "acme/writer", type: "text" },
  { name: "sketch", full_name: "builtin/sketch", type: "image" },
  { name: "seer", full_name: "acme/seer", type: "multimodal" },
] as const;
const modelsFor = (task: string, ...models: readonly [string, string]) =>
  sidesFor(
    task,
    [
      { model: models[0], route: "hybrid" },
      { model: models[1], route: "auto" },
    ],
    OFFERS,
  ).map(({ model }) => model);

describe("another task", () => {
  it("keeps the models that can do it, by either name", () => {
    expect(modelsFor("image", "builtin/sketch", "sketch")).toEqual(["builtin/sketch", "sketch"]);
    expect(modelsFor("code", "acme/writer", "acme/seer")).toEqual(["acme/writer", "acme/seer"]);
  });

  it("leaves the choice to the routing where a model can't", () => {
    expect(modelsFor("image", "acme/writer", "acme/seer")).toEqual(["auto", "auto"]);
    expect(modelsFor("vision", "acme/writer", "acme/seer")).toEqual(["auto", "acme/seer"]);
  });

  it("keeps a model that is not known here, as the service may know it", () => {
    expect(modelsFor("audio", "new/model", "auto")).toEqual(["new/model", "auto"]);
  });
});
