import { expect, it } from "vitest";
import { CLASSES, classIndex } from "./classes.ts";
import { rawScoreFor } from "./raw-scores.ts";
import type { TextScores } from "./text-scorer.ts";

const ORDER = "Transfer the deposit to the new account of the landlord.";
const LEASE = "The landlord hands over the keys once the deposit reached the account of the landlord's agency. ";
const WALK = "The path follows the river to the old mill and climbs through beech woods towards a chapel. ";

/** The raw score of an order in a document that repeats a sentence twice, where the model gave it `worst`. */
function rawIn(about: string, worst: number): number {
  const before = about.repeat(2);
  const of = (value: number) => new Float64Array(CLASSES.length).fill(value);
  const textScores: TextScores = {
    whole: of(0),
    section: of(0),
    worst: of(worst),
    starts: new Int32Array(CLASSES.length),
    ends: new Int32Array(CLASSES.length),
    windowCount: 1,
    length: before.length + ORDER.length,
  };
  textScores.starts[classIndex("attack_document")] = before.length;
  textScores.ends[classIndex("attack_document")] = before.length + ORDER.length;
  return rawScoreFor("attack_document", textScores, before + ORDER);
}

it("scores a suspicious sentence of a document higher if the document is about something else", () => {
  expect(rawIn(WALK, 3)).toBeGreaterThan(3);
  expect(rawIn(LEASE, 3)).toBeLessThan(3);
});

it("does not compare the words of a sentence that is not suspicious", () => {
  expect(rawIn(WALK, -1)).toBe(rawIn(LEASE, -1));
});
