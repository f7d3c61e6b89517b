import { augmented, beginnings, disguised, inDocuments, strayTasks } from "./augment-rows.ts";
import { composeDocuments, composeRequests, readPieces } from "./compose.ts";
import { composeScenes } from "./compose-scenes.ts";
import { editingRequests } from "./editing-requests.ts";
import { type Row, readSeeds, readShared } from "./rows.ts";

/** All that the model is taught with: the shared rows, our own, and what is made of both. The same each time. */
export async function trainingRows(shared: string, seeds: string): Promise<Row[]> {
  const rows = [
    ...(await readShared(shared)),
    ...(await readSeeds(seeds)),
    ...(await composeRequests(seeds, 2)),
    ...(await composeScenes(seeds, 10)),
    ...editingRequests(7),
  ];
  const orders = await readPieces(`${seeds}/document/payloads.jsonl`);
  return [
    ...rows,
    ...(await composeDocuments(seeds, 1)),
    ...augmented(rows, 4),
    ...disguised(rows, 8),
    ...beginnings(rows, 9),
    ...inDocuments(rows, [...orders, ...strayTasks(rows, 6)], 5),
  ];
}
