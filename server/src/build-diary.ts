import type { House } from "./house.ts";
import type { Clock } from "./kit/clock.ts";
import { EndpointBoard } from "./providers/endpoint-board.ts";
import { EndpointDiary } from "./providers/endpoint-diary.ts";
import type { Database } from "./store/database.ts";
import { PostgresModelQuarters } from "./store/model-quarters.ts";

/** The part of the house that remembers how endpoints do: the diary writes, the board shows. `build-house.ts` alone calls it. */
export function buildDiary(database: Database, clock: Clock, warnCalmly: House["warnCalmly"]) {
  const onError = (error: unknown) => warnCalmly(error, "How the endpoints do could not be kept or read.");
  const store = new PostgresModelQuarters(database);
  const diary = new EndpointDiary({ store, clock, kept: () => board.forget(), onError });
  const board: EndpointBoard = new EndpointBoard({ store, pending: () => diary.pending(), clock, onError });
  diary.begin();
  return { diary, board };
}
