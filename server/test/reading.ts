import type { Finding, Follower } from "../src/safety/detector.ts";
import { guardOf } from "../src/safety/guard.ts";
import { OutputWatch } from "../src/safety/output/output-watch.ts";
import { BALANCED } from "../src/safety/policy.ts";
import { ruleDetector } from "../src/safety/rules/rule-detector.ts";
import { atOnce } from "../src/safety/turns.ts";

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
