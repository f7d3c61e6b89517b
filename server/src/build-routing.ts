import type { House } from "./house.ts";
import type { Clock } from "./kit/clock.ts";
import type { Following } from "./kit/following.ts";
import type { Random } from "./kit/random.ts";
import { metadataPredictor } from "./route/metadata-predictor.ts";
import { StickySessions } from "./route/sticky-sessions.ts";
import type { Database } from "./store/database.ts";
import { PostgresSessionModels } from "./store/session-models.ts";

interface RoutingSite {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly handlers: Following;
  readonly warnCalmly: House["warnCalmly"];
}

/** The part of the house that knows how models do at what they are asked. `build-house.ts` alone calls it. */
export function buildRouting({ database, clock, random, handlers, warnCalmly }: RoutingSite) {
  return {
    predictor: metadataPredictor,
    random,
    stickySessions: new StickySessions({
      store: new PostgresSessionModels(database),
      clock,
      follow: (work) => void handlers.follow(work),
      onTrouble: (error) => warnCalmly(error, "The sessions' models could not be read or kept."),
    }),
  };
}
