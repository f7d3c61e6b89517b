import type { Message } from "@trunkline/core/conversation.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { readRouterWeights } from "./bundled-weights.ts";
import { QualityPredictor } from "./quality-predictor.ts";

const predictor = new QualityPredictor(readRouterWeights());
const HARD = "Implement Paxos with log compaction in Rust, and prove that it never loses a committed entry.";
const EASY = "What is the capital of Norway?";

const says = (role: Message["role"], text: string): Message => ({ role, content: [{ type: "text", text }] });
const readingOf = (...messages: readonly Message[]) =>
  predictor.extractFeatures(sampleInference({ conversation: { messages, tools: [] } }));
const following = (first: string, ...turns: readonly string[]) =>
  readingOf(
    says("user", first),
    ...turns.flatMap((turn) => [says("assistant", "Here is what I made of it."), says("user", turn)]),
  );

describe("a turn that only carries on", () => {
  it.each([
    "continue",
    "Yes please!",
    "No, that's not right. Think again.",
    "go on with the next step",
    "why?",
    "ok, and now the rest",
    "make it shorter",
    "ja, mach bitte weiter",
    "oui, continue s'il te plaît",
    "да, продолжай",
    "请继续",
    "続けてください。",
    "?",
  ])("is as hard as what came before, and of its kind: %j", (turn) => {
    const whole = readingOf(says("user", HARD));
    const reading = following(HARD, turn);
    expect(reading.difficulty).toBeGreaterThan(0.7 * whole.difficulty);
    expect(reading.domain).toBe(whole.domain);
    expect(following(EASY, turn).difficulty).toBeLessThan(0.1);
  });

  it("is judged by the last turn that says something, however many such turns follow", () => {
    const { difficulty } = readingOf(says("user", HARD));
    expect(following(EASY, HARD, "yes", "go on", "more").difficulty).toBeGreaterThan(0.7 * difficulty);
    expect(following(HARD, "Thanks! Which country has the most islands in Europe?", "yes").difficulty).toBeLessThan(
      difficulty / 3,
    );
  });

  it("is judged by the system prompt where no turn says anything", () => {
    expect(readingOf(says("system", HARD), says("user", "go")).difficulty).toBeCloseTo(
      readingOf(says("user", HARD)).difficulty,
      5,
    );
    const polite = "You are a helpful assistant.";
    expect(readingOf(says("system", polite), says("user", EASY))).toMatchObject({
      domain: readingOf(says("user", EASY)).domain,
    });
    expect(readingOf(says("system", polite), says("user", "hi")).difficulty).toBeLessThan(0.05);
  });

  it("alone is small talk", () => {
    expect(readingOf(says("user", "continue")).domain).toBe("small talk");
  });

  it("is not judged by answers and results of tools", () => {
    const after = (text: string) =>
      readingOf(
        says("user", EASY),
        says("assistant", text),
        { role: "tool", content: [{ type: "tool-result", id: "1", text }] },
        { role: "user", content: [{ type: "tool-result", id: "2", text }] },
        says("user", "go on"),
      );
    expect(after(HARD)).toEqual(after("Oslo."));
  });
});

describe("a turn that says something", () => {
  it.each([
    ["thanks! and which is the largest city of Portugal?", "facts"],
    ["Great. How many minutes are there in a day?", "facts"],
  ])("is judged mostly by itself after hard work: %j", (turn, family) => {
    const reading = following(HARD, turn);
    expect(reading.difficulty).toBeLessThan(0.2);
    expect(reading.family).toBe(family);
  });

  it("is judged by itself alone when it says enough", () => {
    const long =
      "Write a friendly invitation to our summer party with music, lanterns and grilled vegetables in the garden.";
    expect(following(HARD, long)).toEqual(readingOf(says("user", long)));
  });

  it("is harder after hard work than after a trifle when it refers to it", () => {
    const turn = "now translate that code to Go";
    expect(following(HARD, turn).difficulty).toBeGreaterThan(2 * following(EASY, turn).difficulty);
  });
});

it("reads a bounded part of a long conversation", () => {
  const talk = Array.from({ length: 40 }, () => [says("user", "yes"), says("assistant", "Well then.")]).flat();
  const after = (first: string) => readingOf(says("user", first), ...talk, says("user", "go on"));
  expect(after(HARD)).toEqual(after(EASY));
});
