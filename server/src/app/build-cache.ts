import type { Clock } from "@trunkline/core/clock.ts";
import type { Following } from "@trunkline/core/following.ts";
import { AnswerCache } from "../cache/answer-cache.ts";
import { PostgresCachedAnswers } from "../store/cached-answers.ts";
import type { Database } from "../store/database/database.ts";
import type { House } from "./services.ts";

/** The response cache: whatever is wrong with it is said once, and costs a request nothing but the cache. */
export function buildCache(
  database: Database,
  clock: Clock,
  handlers: Following,
  warnCalmly: House["warnCalmly"],
): AnswerCache {
  return new AnswerCache({
    store: new PostgresCachedAnswers(database),
    clock,
    follow: (work) => void handlers.follow(work),
    onTrouble: (error) => warnCalmly(error, "The response cache could not be asked."),
  });
}
