import type { Finding, Follower, News, Sighting } from "../detector.ts";
import { noScores } from "../policy/verdict-tally.ts";
import type { Steps } from "../resumable.ts";
import { STRIDE, Tail } from "../tail.ts";

/** What those who follow an answer make of a whole one, at the places at which they would judge it in a stream. */
export function* readAnswer(followers: readonly Follower[], text: string): Steps<Sighting> {
  const scores = noScores();
  const findings: Finding[] = [];
  const normalised = new Set<string>();
  const note = (news: News | undefined) => {
    if (news === undefined) return;
    findings.push(...news.findings);
    for (const disguise of news.normalised) normalised.add(disguise);
  };
  const tail = new Tail();
  tail.append(text);
  let from = 0;
  for (let isLast = false; !isLast; ) {
    isLast = from + STRIDE > text.length;
    const to = isLast ? text.length : tail.strideEnd(from);
    tail.turnTo(from, to);
    for (const follower of followers) note(follower.read(tail, to, isLast));
    from = to;
    yield;
  }
  for (const { category, score } of findings)
    scores[category] = Math.max(scores[category], Math.round(score * 1e5) / 1e5);
  return { scores, findings, normalised: [...normalised] };
}
