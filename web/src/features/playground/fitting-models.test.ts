import { describe, expect, it } from "vitest";
import { columnsFor, fittingModels, modeOfModel } from "./fitting-models.ts";

const OFFERS = [
  { name: "large", full_name: "acme/large", type: "text" },
  { name: "eye", full_name: "acme/eye", type: "multimodal" },
  { name: "painter", full_name: "acme/painter", type: "image" },
  { name: "voice", full_name: "acme/voice", type: "audio" },
] as const;

const modelFor = (mode: "chat" | "image" | "speech", model: string) =>
  columnsFor(mode, [{ id: "first", model, route: "auto" }], OFFERS)[0]?.model;

describe("the models of a mode", () => {
  it("are those that can do it", () => {
    const names = (mode: "chat" | "image" | "speech") => fittingModels(mode, OFFERS).map(({ name }) => name);
    expect(names("chat")).toEqual(["large", "eye"]);
    expect(names("image")).toEqual(["painter"]);
    expect(names("speech")).toEqual(["voice"]);
  });

  it("decide the mode of a model that an address names", () => {
    expect(modeOfModel("chat", "acme/painter", OFFERS)).toBe("image");
    expect(modeOfModel("chat", "large", OFFERS)).toBeUndefined();
    expect(modeOfModel("chat", "auto", OFFERS)).toBeUndefined();
  });

  it("do not keep one that can't do it, by its short or its whole name", () => {
    expect(modelFor("image", "acme/large")).toBe("auto");
    expect(modelFor("image", "large")).toBe("auto");
    expect(modelFor("chat", "acme/painter")).toBe("auto");
    expect(modelFor("image", "painter")).toBe("painter");
    expect(modelFor("image", "unheard/of")).toBe("unheard/of");
  });
});
