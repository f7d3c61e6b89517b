import { normaliseTask } from "@trunkline/core/inference.ts";
import { traitsOf } from "@trunkline/core/model-traits.ts";
import { PLAIN_READING, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { fitWork } from "./specialties.ts";

const reading = (domain: string, share = 0.9) => ({ ...PLAIN_READING, domain, shares: [{ domain, share }] });
const chat = normaliseTask("chat");

describe("fitWork", () => {
  it.each([
    ["a name", sampleModel("a/coder-32b")],
    ["a specialty", sampleModel("a/x", { specialties: ["coding"], capabilities: ["chat"] })],
    ["a capability alone", sampleModel("a/x", { capabilities: ["code"] })],
  ])("knows a specialist by %s", (_, model) => {
    expect(fitWork(traitsOf(model), chat, reading("software work"))).toBe("listed");
    expect(fitWork(traitsOf(model), chat, reading("writing"))).toBe("other");
    expect(fitWork(traitsOf(model), chat, reading("software work", 0.3))).toBe("other");
  });

  it.each([
    ["poet-13b", "writing"],
    ["reasoner-xl", "competition maths"],
    ["legal-7b", "law"],
  ])("recognises the work of %s", (name, domain) => {
    expect(fitWork(traitsOf(sampleModel(`a/${name}`)), chat, reading(domain))).toBe("listed");
  });

  it("goes by the client's word where it is not chat or text, and where the text says nothing", () => {
    const coder = traitsOf(sampleModel("a/coder", { capabilities: ["code"] }));
    expect(fitWork(coder, normaliseTask("code"), reading("writing"))).toBe("listed");
    expect(fitWork(coder, chat, PLAIN_READING)).toBe("other");
    expect(fitWork(traitsOf(sampleModel("a/medium-70b")), chat, reading("law"))).toBe("unsaid");
  });
});
