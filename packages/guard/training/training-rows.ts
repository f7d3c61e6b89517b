import {
  augmentRows,
  collectStrayTasks,
  composeFragments,
  disguiseBenignRows,
  embedInDocuments,
} from "./augment-rows.ts";
import { composeDocuments, composeRequests, readSeedTexts } from "./compose.ts";
import { composeScenarios } from "./compose-scenes.ts";
import { composeEditingRequests } from "./editing-requests.ts";
import { type Row, readSeedRows, readSharedRows } from "./rows.ts";

/** All that the model is taught with: the shared rows, our own, and what is made of both. The same each time. */
export async function loadTrainingRows(shared: string, seeds: string): Promise<Row[]> {
  const rows = [
    ...(await readSharedRows(shared)),
    ...(await readSeedRows(seeds)),
    ...(await composeRequests(seeds, 2)),
    ...(await composeScenarios(seeds, 10)),
    ...composeEditingRequests(7),
  ];
  const orders = await readSeedTexts(`${seeds}/document/payloads.jsonl`);
  return [
    ...rows,
    ...(await composeDocuments(seeds, 1)),
    ...augmentRows(rows, 4),
    ...disguiseBenignRows(rows, 8),
    ...composeFragments(rows, 9),
    ...embedInDocuments(rows, [...orders, ...collectStrayTasks(rows, 6)], 5),
  ];
}
