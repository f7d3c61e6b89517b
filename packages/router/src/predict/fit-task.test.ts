import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { fitTask, listsTaskWord } from "./fit-task.ts";

const listing = (...capabilities: string[]) => sampleModel("acme/model", { capabilities });

describe("fitTask", () => {
  it("sees the same work under another spelling", () => {
    expect(fitTask(listing("coding"), normaliseTask("code"))).toBe("listed");
    expect(fitTask(listing("Text_Generation"), normaliseTask("completion"))).toBe("listed");
  });

  it("takes specialties as it takes capabilities", () => {
    const model = sampleModel("acme/model", { specialties: ["legal advice"] });
    expect(fitTask(model, normaliseTask("legal_advice"))).toBe("listed");
  });

  it("tells one analysis from another, though both are analysis", () => {
    expect(fitTask(listing("translation"), normaliseTask("translation"))).toBe("listed");
    expect(fitTask(listing("translation"), normaliseTask("classification"))).toBe("related");
  });

  it("takes chat and text for relatives", () => {
    expect(fitTask(listing("completion"), normaliseTask("chat"))).toBe("related");
    expect(fitTask(listing("chat"), normaliseTask("text"))).toBe("related");
  });

  it("parts a model that lists other work from one that lists nothing", () => {
    expect(fitTask(listing("chat"), normaliseTask("code"))).toBe("other");
    expect(fitTask(listing("friendly"), normaliseTask("code"))).toBe("unsaid");
    expect(fitTask(listing(), normaliseTask("code"))).toBe("unsaid");
  });
});

describe("listsWord", () => {
  it("never matches a word that has no letters with a capability that has none", () => {
    expect(listsTaskWord(listing("--"), normaliseTask("__"))).toBe(false);
  });
});
