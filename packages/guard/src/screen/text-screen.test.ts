import { describe, expect, it } from "vitest";
import type { StreamDetector } from "../detector.ts";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { TextScreen } from "./text-screen.ts";

const guard = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact", secret: "redact" }));

/** How much of a text is there at most while it is read as one part. */
function mostKept(text: string): number {
  let [most, judged] = [0, 0];
  const streamDetector: StreamDetector = {
    get decidedTo() {
      return judged;
    },
    read(streamBuffer, to) {
      judged = to;
      most = Math.max(most, streamBuffer.slice(0, streamBuffer.end).length);
      return undefined;
    },
  };
  const watch = new TextScreen(guard, [streamDetector]);
  expect(runToEnd(watch.read(text)) + watch.flush()).toBe(text);
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
      const whole = new TextScreen(guard, guard.createStreamDetectors());
      const pieces = new TextScreen(guard, guard.createStreamDetectors());
      const out = (shifted.match(/.{1,7}/gs) ?? []).map((piece) => runToEnd(pieces.read(piece))).join("");
      expect(runToEnd(whole.read(shifted)) + whole.flush()).toBe(out + pieces.flush());
      expect(whole.redactedCounts.get("email")).toBe(600);
    }
  });
});
