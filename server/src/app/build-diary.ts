import type { Clock } from "@trunkline/core/clock.ts";
import { EndpointBoard } from "@trunkline/providers/health/endpoint-board.ts";
import { EndpointDiary } from "@trunkline/providers/health/endpoint-diary.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresModelQuarters } from "../store/models/model-quarters.ts";
import type { House } from "./services.ts";

/** The part of the house that remembers how endpoints do: the diary writes, the board shows. `build-house.ts` alone calls it. */
export function buildDiary(database: Database, clock: Clock, warnCalmly: House["warnCalmly"]) {
  const onError = (error: unknown) => warnCalmly(error, "How the endpoints do could not be kept or read.");
  const store = new PostgresModelQuarters(database);
  const diary = new EndpointDiary({ store, clock, kept: () => board.forget(), onError });
  const board: EndpointBoard = new EndpointBoard({ store, pending: () => diary.pending(), clock, onError });
  diary.begin();
  return { diary, board };
}
