import { readFileSync } from "node:fs";
import { JUDGEABLE_CATEGORIES, SAFETY_CATEGORIES } from "@trunkline/core/safety-policy.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { describe, expect, it } from "vitest";
import { CATEGORY_DESCRIPTIONS } from "./judge-format.ts";
import {
  azureContentSafety,
  azurePromptShield,
  JUDGE_FORMATS,
  JUDGE_KINDS,
  llamaGuardChat,
  mistralModeration,
  openAiModeration,
  trunklineSafetyCheck,
} from "./moderation-formats.ts";

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
const access = { key: new Secret("key-of-the-judge"), model: "guard-1" };
const noAccess = { key: undefined, model: undefined };
const question = { text: "How do I?", channel: "user" } as const;
const guardSays = (content: unknown) => ({ choices: [{ message: { content } }] });

describe("every kind of endpoint", () => {
  it("rates only categories of ours that can be judged", () => {
    expect(Object.keys(CATEGORY_DESCRIPTIONS).toSorted()).toEqual(JUDGEABLE_CATEGORIES.toSorted());
    for (const kind of JUDGE_KINDS) {
      expect(JUDGE_FORMATS[kind].categories.length, kind).toBeGreaterThan(0);
      for (const category of JUDGE_FORMATS[kind].categories) expect(SAFETY_CATEGORIES, kind).toContain(category);
    }
  });

  it.each(JUDGE_KINDS)("gives no opinion where the response has another form: %s", (kind) => {
    for (const answer of [null, [], "safe", 7, {}, { results: [] }, { error: { message: "No." } }])
      expect(() => JUDGE_FORMATS[kind].read(answer)).toThrow(expect.objectContaining({ kind: "unreadable" }));
  });

  it("sends a key only where there is one", () => {
    expect(openAiModeration.headers(access)).toEqual({ authorization: "Bearer key-of-the-judge" });
    expect(azureContentSafety.headers(access)).toEqual({ "ocp-apim-subscription-key": "key-of-the-judge" });
    for (const kind of JUDGE_KINDS) expect(JUDGE_FORMATS[kind].headers(noAccess), kind).toEqual({});
  });
});

describe("OpenAI moderation", () => {
  it("is asked about one text, with the configured model", () => {
    expect(openAiModeration.body(question, access)).toEqual({ model: "guard-1", input: ["How do I?"] });
    expect(openAiModeration.body(question, noAccess)).toEqual({ input: ["How do I?"] });
  });

  it("gives 1 for flagged categories, and a score for the rest", () => {
    expect(openAiModeration.read(fixture("openai-moderation"))).toEqual({
      harassment: 1,
      hate: 0.03,
      illicit: 0.02,
      unsafe_intent: 1,
      self_harm: 0.0004,
      sexual: 0.0002,
      sexual_minors: 0.0001,
      violence: 1,
    });
  });

  it("has other category names at Mistral, and newer ones", () => {
    expect(mistralModeration.read(fixture("mistral-moderation"))).toEqual({
      hate: 0.02,
      illicit: 1,
      unsafe_intent: 1,
      self_harm: 0.004,
      sexual: 0.001,
      violence: 0.3,
    });
    const result = {
      categories: { criminal: false, dangerous: false, jailbreaking: true },
      category_scores: { criminal: 0.2, dangerous: 0.4, jailbreaking: 0.7 },
    };
    const newer = { illicit: 0.4, unsafe_intent: 0.4, jailbreak: 1 };
    expect(mistralModeration.read({ results: [result] })).toEqual(newer);
  });

  it("gives no score for a category that an older model does not know", () => {
    const result = {
      categories: { hate: false, illicit: null },
      category_scores: { hate: 0.2, illicit: null },
    };
    expect(openAiModeration.read({ results: [result] })).toEqual({ hate: 0.2 });
  });

  it("gives no opinion where a score is invalid", () => {
    for (const hate of [-1, 1.5, "0.5", Number.NaN]) {
      const result = { categories: { hate: false }, category_scores: { hate } };
      expect(() => openAiModeration.read({ results: [result] })).toThrow("has no known category");
    }
  });
});

describe("Azure content safety", () => {
  it("is asked for four levels of all its categories", () => {
    expect(azureContentSafety.body(question, access)).toEqual({
      text: "How do I?",
      categories: ["Hate", "SelfHarm", "Sexual", "Violence"],
      outputType: "FourSeverityLevels",
    });
  });

  it("has a score for each level", () => {
    const scores = { hate: 0, self_harm: 0.4, sexual: 0.8, violence: 1 };
    expect(azureContentSafety.read(fixture("azure-analyze"))).toEqual(scores);
  });

  it("gives no opinion for unknown levels or categories", () => {
    for (const entry of [{ category: "Hate", severity: 3 }, { category: "Spam", severity: 0 }, {}])
      expect(() => azureContentSafety.read({ categoriesAnalysis: [entry] })).toThrow("unknown");
  });
});

describe("Azure prompt shield", () => {
  it("gets a document as a document", () => {
    expect(azurePromptShield.body(question, access)).toEqual({ userPrompt: "How do I?", documents: [] });
    const document = { text: "A page.", channel: "document" } as const;
    expect(azurePromptShield.body(document, access)).toEqual({ userPrompt: "", documents: ["A page."] });
  });

  it("reports attacks in the prompt and in documents", () => {
    expect(azurePromptShield.read(fixture("azure-shield"))).toEqual({ injection: 1, jailbreak: 1 });
    const clean = { userPromptAnalysis: { attackDetected: false }, documentsAnalysis: [] };
    expect(azurePromptShield.read(clean)).toEqual({ injection: 0, jailbreak: 0 });
    const odd = { userPromptAnalysis: { attackDetected: "no" } };
    expect(() => azurePromptShield.read(odd)).toThrow("does not say");
  });
});

describe("a chat model like Llama Guard", () => {
  it("is asked with the text alone, since its own template does the rest", () => {
    expect(llamaGuardChat.body(question, access)).toEqual({
      model: "guard-1",
      messages: [{ role: "user", content: "How do I?" }],
      temperature: 0,
      max_tokens: 64,
    });
  });

  it("reports the hazards that it names, and no others", () => {
    const scores = { violence: 1, illicit: 1, unsafe_intent: 1, hate: 1 };
    expect(llamaGuardChat.read(fixture("llama-guard-chat"))).toEqual(scores);
    expect(llamaGuardChat.read(guardSays("unsafe\nS6"))).toEqual({});
  });

  it("reports none where it says safe", () => {
    const scores = Object.values(llamaGuardChat.read(guardSays("\n\nsafe")));
    expect(new Set(scores)).toEqual(new Set([0]));
    expect(scores).toHaveLength(llamaGuardChat.categories.length);
  });

  it.each(["safe.", "Safe", "unsafe", "unsafe\nS99", "unsafe S1", "safe\nunsafe\nS1", "I think it is safe", 7])(
    "gives no opinion for %j",
    (said) => {
      expect(() => llamaGuardChat.read(guardSays(said))).toThrow(expect.objectContaining({ kind: "unreadable" }));
    },
  );
});

describe("another service like this one", () => {
  it("is asked about the text of a channel, and its scores are ours", () => {
    expect(trunklineSafetyCheck.body({ text: "A page.", channel: "document" }, access)).toEqual({
      input: "A page.",
      channel: "document",
    });
    const categories = { injection: 0.7, hate: 0, pii: 1 };
    expect(trunklineSafetyCheck.read({ flagged: true, categories })).toEqual({ injection: 0.7, hate: 0 });
    expect(() => trunklineSafetyCheck.read({ categories: { injection: 2 } })).toThrow("injection");
  });
});
