import type { House } from "./house.ts";
import type { Clock } from "./kit/clock.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { OwnKeys } from "./providers/own-keys.ts";
import { fitTask } from "./route/fit-task.ts";
import { EvidenceBook } from "./route/learn/evidence-book.ts";
import { FeedbackDesk } from "./route/learn/feedback-desk.ts";
import { LengthBook } from "./route/learn/length-book.ts";
import { LessonKeeper, MOST_PER_ACCOUNT } from "./route/learn/lesson-keeper.ts";
import { Lessons, type Prior } from "./route/learn/lessons.ts";
import { metadataPredictor } from "./route/metadata-predictor.ts";
import type { Database } from "./store/database.ts";
import { PostgresFeedback } from "./store/feedback.ts";
import { PostgresLearning, sweepLearning } from "./store/learning.ts";

/** What routing is built on. */
interface RoutingSite {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: LiveSettings;
  readonly ownKeys: OwnKeys;
  readonly warnCalmly: House["warnCalmly"];
}

/** The part of the house that knows how models do at what they are asked. `build-house.ts` alone calls it. */
export async function buildRouting({ database, clock, settings, ownKeys, warnCalmly }: RoutingSite) {
  const onError = (error: unknown) => warnCalmly(error, "What outcomes taught could not be kept or read.");
  const [evidence, lengths] = [new EvidenceBook(), new LengthBook()];
  const store = new PostgresLearning(database);
  const lessonKeeper = new LessonKeeper({ store, evidence, lengths, clock, onError });
  await lessonKeeper.begin();
  const predictor = metadataPredictor;
  // Outcomes are compared with what is predicted without any: this one never hears of them.
  const untaught = metadataPredictor;
  const prior: Prior = (model, reading, task, accountId) =>
    untaught.predict(model, reading, fitTask(model, task), accountId).quality;
  const isFrozen: House["learning"]["isFrozen"] = ({ learning }) =>
    settings.current.learning === "frozen" || learning === "frozen";
  const lessons = new Lessons({
    evidence,
    lengths,
    clock,
    prior,
    isFrozen,
    count: (outcome) => lessonKeeper.count(outcome),
    onError,
  });
  const outcomes = new PostgresFeedback(database);
  const feedback = new FeedbackDesk({
    store: outcomes,
    evidence,
    clock,
    prior,
    catalogueFor: (caller) => ownKeys.catalogueFor(caller),
    isFrozen,
    taught: () => lessonKeeper.hurry(),
  });
  return {
    parts: {
      predictor,
      evidence,
      lengths,
      lessons,
      lessonKeeper,
      feedback,
      outcomes,
      learning: { isFrozen },
    },
    sweep: () => sweepLearning(database, MOST_PER_ACCOUNT),
    async stop() {
      lessons.drain();
      await lessonKeeper.stop();
    },
  };
}
