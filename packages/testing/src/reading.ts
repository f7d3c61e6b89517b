import type { Finding, Follower } from "@trunkline/guard/detector.ts";
import { guardOf } from "@trunkline/guard/policy/guard.ts";
import { BALANCED } from "@trunkline/guard/policy/policy.ts";
import { atOnce } from "@trunkline/guard/resumable.ts";
import { ruleDetector } from "@trunkline/guard/rules/rule-detector.ts";
import { OutputWatch } from "@trunkline/guard/screen/text-screen.ts";

/** What some followers find in an answer that comes in pieces of one length; nothing is refused. */
export function reading(followers: readonly Follower[], answer: string, length = 7): readonly Finding[] {
  const found: Finding[] = [];
  const guard = guardOf(ruleDetector, BALANCED);
  const watch = new OutputWatch(
    {
      ...guard,
      weigh: (news) => {
        found.push(...news.findings);
        return guard.weigh({ findings: [], normalised: [] });
      },
    },
    followers,
  );
  for (let at = 0; at < answer.length; at += length) atOnce(watch.read(answer.slice(at, at + length)));
  watch.flush();
  return found;
}
