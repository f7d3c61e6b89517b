import { sampleInference, sampleModel } from "@trunkline/testing/samples.ts";
import { candidateCalled } from "@trunkline/testing/scripted-call.ts";
import { describe, expect, it } from "vitest";
import { conversationOf } from "./conversation.ts";
import type { Model } from "./model.ts";
import { createQuoter } from "./quote.ts";
import { createRequoter } from "./requote.ts";
import type { Candidate } from "./route.ts";

const candidateOf = (model: Model): Candidate => ({ ...candidateCalled("a"), model });
const short = sampleInference({ conversation: conversationOf("Tell me a story.") });
const long = sampleInference({ conversation: conversationOf("Tell me a story. ".repeat(50)) });

describe("a candidate for a request that became longer", () => {
  it("is quoted for all of it, each request for itself", () => {
    const requote = createRequoter();
    const model = sampleModel("acme/a");
    for (const inference of [long, short, long])
      expect(requote(candidateOf(model), inference)?.quote).toEqual(createQuoter(inference)(model));
  });

  it("keeps its reasons, which are put into words only when somebody asks", () => {
    const { reasons: _, ...own } = candidateOf(sampleModel("acme/a"));
    class Ranked {
      get reasons() {
        return ["cheap"];
      }
    }
    expect(createRequoter()(Object.assign(new Ranked(), own), long)?.reasons).toEqual(["cheap"]);
  });

  it("is none where it can't read all of it", () => {
    const requote = createRequoter();
    const narrow = candidateOf(sampleModel("acme/a", { contextWindow: 50 }));
    expect(requote(narrow, short)).toBeDefined();
    expect(requote(narrow, long)).toBeUndefined();
  });

  it("is none where its price is not known", () => {
    const { price: _, ...unpriced } = sampleModel("acme/a");
    expect(createRequoter()(candidateOf({ ...unpriced, price: undefined }), short)).toBeUndefined();
  });
});
