import type { Finding, StreamDetector } from "@trunkline/guard/detector.ts";
import { createGuard } from "@trunkline/guard/policy/guard.ts";
import { BALANCED } from "@trunkline/guard/policy/policy.ts";
import { ruleDetector } from "@trunkline/guard/rules/rule-detector.ts";
import { TextScreen } from "@trunkline/guard/screen/text-screen.ts";

/** What stream detectors find in an answer that comes in pieces of one length. Nothing is refused. */
export function findInStream(
  streamDetectors: readonly StreamDetector[],
  answer: string,
  length = 7,
): readonly Finding[] {
  const found: Finding[] = [];
  const guard = createGuard(ruleDetector, BALANCED);
  const screen = new TextScreen(
    {
      ...guard,
      applyPolicy: (streamDetection) => {
        found.push(...streamDetection.findings);
        return guard.applyPolicy({ findings: [], normalised: [] });
      },
    },
    streamDetectors,
  );
  for (let at = 0; at < answer.length; at += length) screen.read(answer.slice(at, at + length));
  screen.flush();
  return found;
}
