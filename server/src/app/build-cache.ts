import type { Clock } from "@trunkline/core/clock.ts";
import type { BackgroundWork } from "@trunkline/core/following.ts";
import { AnswerCache } from "../cache/answer-cache.ts";
import { PostgresCachedAnswers } from "../store/cached-answers.ts";
import type { Database } from "../store/database/database.ts";
import type { Services } from "./services.ts";

/** The response cache: whatever is wrong with it is said once, and costs a request nothing but the cache. */
export function createCache(
  database: Database,
  clock: Clock,
  backgroundWork: BackgroundWork,
  warnThrottled: Services["warnThrottled"],
): AnswerCache {
  return new AnswerCache({
    store: new PostgresCachedAnswers(database),
    clock,
    track: (work) => void backgroundWork.track(work),
    onError: (error) => warnThrottled(error, "The response cache could not be asked."),
  });
}
