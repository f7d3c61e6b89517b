import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { applyCalibration, isValidCalibration } from "./classes.ts";
import { decodeWeights, encodeWeights } from "./safety-model.ts";

const bytes = readFileSync(new URL("./weights.bin", import.meta.url));

describe("safety weights", () => {
  it("are at most three megabytes, and encode to the same bytes again", () => {
    expect(bytes.length).toBeLessThan(3_000_000);
    expect(Buffer.compare(encodeWeights(decodeWeights(bytes)), bytes)).toBe(0);
  });

  it("are rejected if they are something else, of another version or truncated", () => {
    expect(() => decodeWeights(Buffer.from("something else"))).toThrow("no safety weights");
    expect(() => decodeWeights(bytes.subarray(0, bytes.length - 1))).toThrow("cut off");
    const other = Buffer.from(bytes);
    other.write('"version":9', other.indexOf('"version":'));
    expect(() => decodeWeights(other)).toThrow("npm run safety:train");
  });

  it("are rejected if a calibration is not monotonic", () => {
    const weights = decodeWeights(bytes);
    const falling = { ...weights.calibrations, unsafe: { raw: [0, 1], score: [0.9, 0.1] } };
    expect(() => decodeWeights(encodeWeights({ ...weights, calibrations: falling }))).toThrow("does not rise");
  });
});

describe("applyCalibration", () => {
  const calibration = { raw: [-1, 0, 2], score: [0.1, 0.5, 0.8] };

  it("passes through its points and is monotonic, also beyond them", () => {
    expect(isValidCalibration(calibration)).toBe(true);
    expect(applyCalibration(calibration, 0)).toBeCloseTo(0.5);
    expect(applyCalibration(calibration, 2)).toBeCloseTo(0.8);
    expect(applyCalibration(calibration, 1)).toBeCloseTo(0.65);
    const scores = Array.from({ length: 121 }, (_, at) => applyCalibration(calibration, -6 + at / 10));
    scores.forEach((score, at) => {
      expect(score > 0 && score < 1).toBe(true);
      if (at > 0) expect(score).toBeGreaterThan(scores[at - 1] ?? 1);
    });
  });
});
