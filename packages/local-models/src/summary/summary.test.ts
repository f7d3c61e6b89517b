import { inferenceOf, partsOf, talkOf, wordsIn } from "@trunkline/testing/builtin-inference.ts";
import { describe, expect, it } from "vitest";
import { splitSentences } from "../builtin/text.ts";
import { createSummary } from "./summary.ts";

const summary = createSummary();
const sumUp = async (text: string, word = "summarization") =>
  wordsIn(await partsOf(summary, inferenceOf(text, {}, word)));

const RAINFOREST = `The Amazon rainforest covers much of northwestern Brazil and extends into Colombia, Peru and other countries.
It is the world's largest tropical rainforest, famed for its biodiversity. It is crisscrossed by thousands of rivers.
A shopkeeper in a nearby town sells umbrellas. Deforestation threatens the Amazon rainforest: cattle ranching is its leading cause.
Scientists warn that deforestation could bring the rainforest to a tipping point. My cousin once lost his hat.
Beyond the tipping point, much of the rainforest would turn into savanna. Several governments have pledged to end deforestation by 2030.
Whether they will is another matter, said Dr. Silva, who has studied the rainforest for decades.`;

describe("the summary", () => {
  it("consists of few sentences of the text, in its order", async () => {
    const [summary = ""] = (await sumUp(RAINFOREST)).split("\n\n");
    const places = splitSentences(summary).map((sentence) => RAINFOREST.replaceAll("\n", " ").indexOf(sentence));
    expect(places.length).toBeGreaterThan(1);
    expect(places.length).toBeLessThanOrEqual(5);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it("keeps the topic and leaves out side remarks", async () => {
    const summary = await sumUp(RAINFOREST);
    expect(summary).toContain("Amazon rainforest");
    expect(summary).toContain("eforestation");
    expect(summary).not.toContain("umbrellas");
    expect(summary).not.toContain("cousin");
  });

  it("names the key phrases, the language and the length", async () => {
    const summary = await sumUp(RAINFOREST);
    expect(summary).toMatch(/Key phrases: .*rainforest.*deforestation|Key phrases: .*deforestation.*rainforest/);
    expect(summary).toContain("Language: English");
    expect(summary).toContain("Length: 108 words in 10 sentences, less than a minute to read");
  });

  it("is the same every time", async () => {
    expect(await sumUp(RAINFOREST)).toBe(await sumUp(RAINFOREST));
  });

  it("says that a short text needs no summary", async () => {
    expect(await sumUp("The meeting is on Monday at the town hall.")).toMatch(
      /^This text is so short that it is its own summary: The meeting is on Monday/,
    );
  });

  it("says that an empty text has no words", async () => {
    expect(await sumUp("?!… 🙂")).toContain("no words");
  });

  it("does not summarise the instruction", async () => {
    expect(await sumUp(`Please summarise the following text:\n${RAINFOREST}`)).toBe(await sumUp(RAINFOREST));
  });

  it("gives only the key phrases for the task keywords", async () => {
    expect(await sumUp(RAINFOREST, "keywords")).toMatch(/^Key phrases: [^\n]+$/);
  });

  it("gives only the language for a language task", async () => {
    expect(await sumUp(RAINFOREST, "language-detection")).toBe("Language: English.");
  });

  it("says what it can't do", async () => {
    expect(await sumUp(RAINFOREST, "translation")).toMatch(/^This built-in model can't do translation;/);
  });

  it("reads languages without spaces", async () => {
    const summary = await sumUp(
      "今日はとても良い天気です。明日は雨が降るでしょう。橋は閉鎖されます。人々は待っています。".repeat(3),
    );
    expect(summary).toContain("Language: Japanese");
    expect(summary).toContain("characters in 12 sentences");
  });

  it("reads all user messages, and none of the assistant", async () => {
    const parts = await partsOf(summary, inferenceOf(talkOf("The first message is here.", "The second one is there.")));
    expect(wordsIn(parts)).toContain("The first message is here. The second one is there.");
    expect(wordsIn(parts)).not.toContain("Well");
  });

  it("keeps to max_tokens", async () => {
    const parts = await partsOf(summary, inferenceOf(RAINFOREST, { maxTokens: 10 }));
    expect(wordsIn(parts)).toHaveLength(40);
    expect(parts.at(-1)).toEqual({ type: "finish", reason: "length" });
  });
});

describe("a summary of the longest text", () => {
  const longest = RAINFOREST.repeat(800).slice(0, 400_000);

  it("yields to other work", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const summary = await sumUp(longest);
    isDone = true;
    expect(summary).toContain("Language: English");
    expect(turns).toBeGreaterThan(3);
  });

  it("stops when the client disconnects", async () => {
    const caller = new AbortController();
    setImmediate(() => caller.abort(new Error("gone")));
    await expect(partsOf(summary, inferenceOf(longest), caller.signal)).rejects.toThrow("gone");
  });

  it.each([
    ["one endless word", "x".repeat(400_000)],
    ["nothing but full stops", ".".repeat(400_000)],
    ["full stops and quotes", `."'`.repeat(130_000)],
    ["empty lines", "\n \n".repeat(130_000)],
    ["one word, over and over", "a ".repeat(200_000)],
    ["no word twice", Array.from({ length: 60_000 }, (_, index) => `w${index}`).join(" ")],
  ])("handles %s", async (_, text) => {
    expect(await sumUp(text)).not.toBe("");
  });
});
