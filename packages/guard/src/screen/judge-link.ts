import type { Finding } from "../detector.ts";
import type { AnswerContext } from "./answer-context.ts";
import { type Carried, carriedBy } from "./carried-data.ts";
import { CERTAIN, HINT, LIKELY } from "./certainty.ts";
import { isDeceptive } from "./deceptive-host.ts";
import { type Address, addressOf, type Link } from "./link.ts";

const RUNS = /^\s*(?:javascript|vbscript):|^\s*data:text\/html/i;
/** Links to a search or a page that is called by the question carry as much of it. */
const OFTEN_CARRIED = 32;

/** What a link is a sign of: data that leave by it, something that it runs, or a host that is not what it seems. */
export function judgeLink(
  link: Link,
  isWhole: boolean,
  context: AnswerContext,
): Omit<Finding, "start" | "end">[] {
  if (RUNS.test(link.url)) return link.isTarget ? [{ category: "injection", score: LIKELY }] : [];
  const address = addressOf(link.url);
  if (address === undefined || !(isWhole || hasBegunItsPath(address))) return [];
  if (link.loads && context.holdsPlaceholder(link.url)) return [{ category: "injection", score: CERTAIN }];
  const deceives = isDeceptive(address);
  const mayCarry =
    (link.loads || link.isTarget) && address.path.length + address.query.length + address.host.length >= 20;
  // What was given in just this form is passed on, and nothing with it.
  if ((!deceives && !mayCarry) || context.said.holds(link.url)) return [];
  return [
    ...(deceives ? [{ category: "illicit" as const, score: HINT }] : []),
    ...(mayCarry ? judgeCarried(carriedBy(address, isWhole, context.said), link) : []),
  ];
}

function hasBegunItsPath({ path, query }: Address): boolean {
  return path !== "" || query !== "";
}

function judgeCarried(carried: Carried, { loads }: Link): Omit<Finding, "start" | "end">[] {
  const { said, isName, isEncoded, isOpaque } = carried;
  if (!loads) return isEncoded || said >= OFTEN_CARRIED ? [{ category: "injection", score: HINT }] : [];
  if (said > 0) return [{ category: "injection", score: isName ? HINT : CERTAIN }];
  return isOpaque ? [{ category: "injection", score: HINT }] : [];
}
