import type { House } from "./house.ts";
import type { Clock } from "./kit/clock.ts";
import { EndpointBoard } from "./providers/endpoint-board.ts";
import { EndpointDiary } from "./providers/endpoint-diary.ts";
import { EndpointHealth } from "./providers/endpoint-health.ts";
import type { Database } from "./store/database.ts";
import { PostgresModelQuarters } from "./store/model-quarters.ts";

/** The part of the house that knows how the endpoints do: on this instance, on all of them, and over restarts. */
export function buildDiary(database: Database, clock: Clock, warnCalmly: House["warnCalmly"]) {
  const onError = (error: unknown) => warnCalmly(error, "How the endpoints do could not be kept or read.");
  const store = new PostgresModelQuarters(database);
  const diary = new EndpointDiary({ store, clock, kept: () => board.forget(), onError });
  const board: EndpointBoard = new EndpointBoard({
    store,
    pending: () => diary.pending(),
    clock,
    onError,
  });
  diary.begin();
  return { diary, board, health: new EndpointHealth(clock, Math.random, diary) };
}
