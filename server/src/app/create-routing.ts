import type { ProviderKeys } from "@trunkline/providers/catalogue/provider-keys.ts";
import { Feedback } from "@trunkline/router/learn/feedback.ts";
import { LengthStats } from "@trunkline/router/learn/length-stats.ts";
import { OutcomeLearner } from "@trunkline/router/learn/outcome-learner.ts";
import { OutcomeStats } from "@trunkline/router/learn/outcome-stats.ts";
import { MAX_WEIGHT_PER_ACCOUNT, OutcomeSync } from "@trunkline/router/learn/outcome-sync.ts";
import { readRouterWeights } from "@trunkline/router/predict/bundled-weights.ts";
import { QualityPredictor } from "@trunkline/router/predict/quality-predictor.ts";
import { StickySessions } from "@trunkline/router/rank/sticky-sessions.ts";
import { PostgresFeedback, PostgresLearning, sweepLearning } from "../store/models/learning.ts";
import { PostgresStickySessions } from "../store/models/sticky-sessions.ts";
import type { BaseServices, LearningPolicy, RoutingServices } from "./services.ts";

/** Creates the services that route requests and learn from their outcomes. */
export async function createRouting(
  { database, elsewhere, clock, random, backgroundWork, settings, warnThrottled }: BaseServices,
  providerKeys: ProviderKeys,
) {
  const stickySessions = new StickySessions({
    store: new PostgresStickySessions(database),
    clock,
    runInBackground: (work) => void backgroundWork.track(work),
    onError: (error) => warnThrottled(error, "The models of sessions could not be read or stored."),
  });
  const onError = (error: unknown) => warnThrottled(error, "Learnt outcomes could not be stored or read.");
  const [evidence, lengths] = [new OutcomeStats(), new LengthStats()];
  const outcomeSync = new OutcomeSync({ store: new PostgresLearning(database), evidence, lengths, clock, onError });
  await outcomeSync.start();
  const isFrozen: LearningPolicy["isFrozen"] = ({ learning }) =>
    settings.current.learning === "frozen" || learning === "frozen";
  const outcomeLearner = new OutcomeLearner({
    evidence,
    lengths,
    clock,
    isFrozen,
    onOutcome: (outcome) => outcomeSync.addRecord(outcome),
    onError,
  });
  const feedbackStore = new PostgresFeedback(database, elsewhere);
  const services: RoutingServices = {
    predictor: new QualityPredictor(readRouterWeights(), evidence),
    random,
    stickySessions,
    evidence,
    lengthStats: lengths,
    outcomeLearner,
    outcomeSync,
    feedback: new Feedback({
      store: feedbackStore,
      evidence,
      clock,
      catalogueFor: (caller) => providerKeys.catalogueFor(caller),
      isFrozen,
      onRecorded: () => outcomeSync.flushSoon(),
    }),
    feedbackStore,
    learningPolicy: { isFrozen },
  };
  return {
    services,
    sweep: () => Promise.all([stickySessions.sweep(), sweepLearning(database, MAX_WEIGHT_PER_ACCOUNT)]),
    async stop(): Promise<void> {
      outcomeLearner.drain();
      await outcomeSync.stop();
    },
  };
}
