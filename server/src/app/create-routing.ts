import type { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { ProviderKeys } from "@trunkline/providers/catalogue/provider-keys.ts";
import { Feedback } from "@trunkline/router/learn/feedback.ts";
import { LengthStats } from "@trunkline/router/learn/length-stats.ts";
import { OutcomeLearner } from "@trunkline/router/learn/outcome-learner.ts";
import { OutcomeStats } from "@trunkline/router/learn/outcome-stats.ts";
import { MAX_WEIGHT_PER_ACCOUNT, OutcomeSync } from "@trunkline/router/learn/outcome-sync.ts";
import { readRouterWeights } from "@trunkline/router/predict/bundled-weights.ts";
import { QualityPredictor } from "@trunkline/router/predict/quality-predictor.ts";
import { StickySessions } from "@trunkline/router/rank/sticky-sessions.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresFeedback, PostgresLearning, sweepLearning } from "../store/models/learning.ts";
import { PostgresStickySessions } from "../store/models/sticky-sessions.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { Services } from "./services.ts";

/** What routing is built on. */
interface RoutingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly backgroundWork: BackgroundWork;
  readonly settings: LiveSettings;
  readonly found: { readonly providerKeys: ProviderKeys };
  readonly warnThrottled: Services["warnThrottled"];
}

/** Creates the services that route requests and learn how well models do. */
export async function createRouting(options: RoutingOptions) {
  const { database, clock, random, backgroundWork } = options;
  const stickySessions = new StickySessions({
    store: new PostgresStickySessions(database),
    clock,
    runInBackground: (work) => void backgroundWork.track(work),
    onError: (error) => options.warnThrottled(error, "The models of sessions could not be read or stored."),
  });
  const learning = await createLearning(options);
  const predictor = new QualityPredictor(readRouterWeights(), learning.parts.evidence);
  return {
    parts: { predictor, random, stickySessions, ...learning.parts },
    sweep: async () => {
      await Promise.all([stickySessions.sweep(), sweepLearning(database, MAX_WEIGHT_PER_ACCOUNT)]);
    },
    stop: () => learning.stop(),
  };
}

/** What learns from outcomes, and what it learnt. */
async function createLearning(options: RoutingOptions) {
  const { database, clock, settings, found, warnThrottled } = options;
  const onError = (error: unknown) => warnThrottled(error, "Learnt outcomes could not be stored or read.");
  const [evidence, lengths] = [new OutcomeStats(), new LengthStats()];
  const store = new PostgresLearning(database);
  const outcomeSync = new OutcomeSync({ store, evidence, lengths, clock, onError });
  await outcomeSync.start();
  const isFrozen: Services["learningPolicy"]["isFrozen"] = ({ learning }) =>
    settings.current.learning === "frozen" || learning === "frozen";
  const outcomeLearner = new OutcomeLearner({
    evidence,
    lengths,
    clock,
    isFrozen,
    onOutcome: (outcome) => outcomeSync.addRecord(outcome),
    onError,
  });
  const outcomes = new PostgresFeedback(database);
  const feedback = new Feedback({
    store: outcomes,
    evidence,
    clock,
    catalogueFor: (caller) => found.providerKeys.catalogueFor(caller),
    isFrozen,
    onRecorded: () => outcomeSync.flushSoon(),
  });
  return {
    parts: {
      evidence,
      lengthStats: lengths,
      outcomeLearner,
      outcomeSync,
      feedback,
      outcomes,
      learningPolicy: { isFrozen },
    },
    async stop() {
      outcomeLearner.drain();
      await outcomeSync.stop();
    },
  };
}
