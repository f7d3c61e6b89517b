import type { Finding } from "../detector.ts";
import type { AnswerContext } from "./answer-context.ts";
import { type CarriedData, findCarriedData } from "./carried-data.ts";
import { CERTAIN, HINT, LIKELY } from "./certainty.ts";
import { isDeceptiveAddress } from "./deceptive-host.ts";
import { type Link, parseWebAddress, type WebAddress } from "./link.ts";

const EXECUTABLE_URL = /^\s*(?:javascript|vbscript):|^\s*data:text\/html/i;
/** Links to a search or a page that is called by the question carry as much of it. */
const LINK_CARRIED_CHARACTERS_MIN = 32;

/** What a link is a sign of: data that leave by it, something that it runs, or a host that is not what it seems. */
export function assessLink(
  link: Link,
  isWhole: boolean,
  context: AnswerContext,
): Omit<Finding, "start" | "end">[] {
  if (EXECUTABLE_URL.test(link.url)) return link.isTarget ? [{ category: "injection", score: LIKELY }] : [];
  const webAddress = parseWebAddress(link.url);
  if (webAddress === undefined || !(isWhole || hasPath(webAddress))) return [];
  if (link.isAutoLoaded && context.containsPlaceholder(link.url))
    return [{ category: "injection", score: CERTAIN }];
  const deceives = isDeceptiveAddress(webAddress);
  const mayCarry =
    (link.isAutoLoaded || link.isTarget) &&
    webAddress.path.length + webAddress.query.length + webAddress.host.length >= 20;
  // What was given in just this form is passed on, and nothing with it.
  if ((!deceives && !mayCarry) || context.conversationIndex.contains(link.url)) return [];
  return [
    ...(deceives ? [{ category: "illicit" as const, score: HINT }] : []),
    ...(mayCarry
      ? assessCarriedData(findCarriedData(webAddress, isWhole, context.conversationIndex), link)
      : []),
  ];
}

function hasPath({ path, query }: WebAddress): boolean {
  return path !== "" || query !== "";
}

function assessCarriedData(
  carriedData: CarriedData,
  { isAutoLoaded: loads }: Link,
): Omit<Finding, "start" | "end">[] {
  const { conversationCharacters: said, isPictureName: isName, isEncoded, isOpaque } = carriedData;
  if (!loads)
    return isEncoded || said >= LINK_CARRIED_CHARACTERS_MIN ? [{ category: "injection", score: HINT }] : [];
  if (said > 0) return [{ category: "injection", score: isName ? HINT : CERTAIN }];
  return isOpaque ? [{ category: "injection", score: HINT }] : [];
}
