import { describe, expect, it } from "vitest";
import type { Follower } from "../detector.ts";
import { guardOf } from "../policy/guard.ts";
import { policyOf } from "../policy/policy.ts";
import { atOnce } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { OutputWatch } from "./text-screen.ts";

const guard = guardOf(ruleDetector, policyOf("balanced", { pii: "redact", secret: "redact" }));

/** How much of a text is there at most while it is read as one part. */
function mostKept(text: string): number {
  let [most, judged] = [0, 0];
  const follower: Follower = {
    get judged() {
      return judged;
    },
    read(tail, to) {
      judged = to;
      most = Math.max(most, tail.slice(0, tail.end).length);
      return undefined;
    },
  };
  const watch = new OutputWatch(guard, [follower]);
  expect(atOnce(watch.read(text)) + watch.flush()).toBe(text);
  return most;
}

describe("one huge part of an answer", () => {
  it("is read in slices: what is kept of it does not grow with it", () => {
    const words = "All is well here. ";
    expect(mostKept(words.repeat(20_000))).toBeLessThan(2 * mostKept(words.repeat(2_000)));
  });

  it("comes out as it does in small pieces, wherever a slice ends", () => {
    const text = "😀 write to ab@firma.de or not. ".repeat(600);
    for (const shift of [0, 1, 5, 12, 19]) {
      const shifted = "x".repeat(shift) + text;
      const whole = new OutputWatch(guard, guard.follow());
      const pieces = new OutputWatch(guard, guard.follow());
      const out = (shifted.match(/.{1,7}/gs) ?? []).map((piece) => atOnce(pieces.read(piece))).join("");
      expect(atOnce(whole.read(shifted)) + whole.flush()).toBe(out + pieces.flush());
      expect(whole.omitted.get("email")).toBe(600);
    }
  });
});
