import type { Clock } from "@trunkline/core/clock.ts";
import type { Following } from "@trunkline/core/following.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { OwnKeys } from "@trunkline/providers/catalogue/own-keys.ts";
import { FeedbackDesk } from "@trunkline/router/learn/feedback.ts";
import { LengthBook } from "@trunkline/router/learn/length-book.ts";
import { Lessons } from "@trunkline/router/learn/outcome-learner.ts";
import { EvidenceBook } from "@trunkline/router/learn/outcome-stats.ts";
import { LessonKeeper, MOST_PER_ACCOUNT } from "@trunkline/router/learn/outcome-sync.ts";
import { readRouterWeights } from "@trunkline/router/predict/bundled-weights.ts";
import { QualityPredictor } from "@trunkline/router/predict/quality-predictor.ts";
import { StickySessions } from "@trunkline/router/rank/sticky-sessions.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresFeedback } from "../store/models/feedback.ts";
import { PostgresLearning, sweepLearning } from "../store/models/learning.ts";
import { PostgresSessionModels } from "../store/models/sticky-sessions.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { House } from "./services.ts";

/** What routing is built on. */
interface RoutingSite {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly handlers: Following;
  readonly settings: LiveSettings;
  readonly found: { readonly ownKeys: OwnKeys };
  readonly warnCalmly: House["warnCalmly"];
}

/** The part of the house that knows how models do at what they are asked. `build-house.ts` alone calls it. */
export async function buildRouting(site: RoutingSite) {
  const { database, clock, random, handlers } = site;
  const stickySessions = new StickySessions({
    store: new PostgresSessionModels(database),
    clock,
    follow: (work) => void handlers.follow(work),
    onTrouble: (error) => site.warnCalmly(error, "The sessions' models could not be read or kept."),
  });
  const learning = await buildLearning(site);
  const predictor = new QualityPredictor(readRouterWeights(), learning.parts.evidence);
  return {
    parts: { predictor, random, stickySessions, ...learning.parts },
    sweep: async () => {
      await Promise.all([stickySessions.sweep(), sweepLearning(database, MOST_PER_ACCOUNT)]);
    },
    stop: () => learning.stop(),
  };
}

/** What learns from outcomes, and what it learnt. */
async function buildLearning(site: RoutingSite) {
  const { database, clock, settings, found, warnCalmly } = site;
  const onError = (error: unknown) => warnCalmly(error, "What outcomes taught could not be kept or read.");
  const [evidence, lengths] = [new EvidenceBook(), new LengthBook()];
  const store = new PostgresLearning(database);
  const lessonKeeper = new LessonKeeper({ store, evidence, lengths, clock, onError });
  await lessonKeeper.begin();
  const isFrozen: House["learning"]["isFrozen"] = ({ learning }) =>
    settings.current.learning === "frozen" || learning === "frozen";
  const lessons = new Lessons({
    evidence,
    lengths,
    clock,
    isFrozen,
    count: (outcome) => lessonKeeper.count(outcome),
    onError,
  });
  const outcomes = new PostgresFeedback(database);
  const feedback = new FeedbackDesk({
    store: outcomes,
    evidence,
    clock,
    catalogueFor: (caller) => found.ownKeys.catalogueFor(caller),
    isFrozen,
    taught: () => lessonKeeper.hurry(),
  });
  return {
    parts: {
      evidence,
      lengths,
      lessons,
      lessonKeeper,
      feedback,
      outcomes,
      learning: { isFrozen },
    },
    async stop() {
      lessons.drain();
      await lessonKeeper.stop();
    },
  };
}
