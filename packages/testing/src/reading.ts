import type { Finding, StreamDetector } from "@trunkline/guard/detector.ts";
import { createGuard } from "@trunkline/guard/policy/guard.ts";
import { BALANCED } from "@trunkline/guard/policy/policy.ts";
import { runToEnd } from "@trunkline/guard/resumable.ts";
import { ruleDetector } from "@trunkline/guard/rules/rule-detector.ts";
import { TextScreen } from "@trunkline/guard/screen/text-screen.ts";

/** What some followers find in an answer that comes in pieces of one length; nothing is refused. */
export function reading(streamDetectors: readonly StreamDetector[], answer: string, length = 7): readonly Finding[] {
  const found: Finding[] = [];
  const guard = createGuard(ruleDetector, BALANCED);
  const watch = new TextScreen(
    {
      ...guard,
      applyPolicy: (streamDetection) => {
        found.push(...streamDetection.findings);
        return guard.applyPolicy({ findings: [], normalised: [] });
      },
    },
    streamDetectors,
  );
  for (let at = 0; at < answer.length; at += length) runToEnd(watch.read(answer.slice(at, at + length)));
  watch.flush();
  return found;
}
