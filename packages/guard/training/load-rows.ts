import {
  augmentRows,
  collectStrayTasks,
  composeFragments,
  disguiseBenignRows,
  embedInDocuments,
} from "./augment-rows.ts";
import { composeGoals } from "./compose-goals.ts";
import { composeGuidance } from "./compose-guidance.ts";
import { composeInstructionRequests } from "./compose-instructions.ts";
import { composeIntroducedQuestions } from "./compose-questions.ts";
import { composeRoles } from "./compose-roles.ts";
import {
  composeDocuments,
  composeEditingRequests,
  composeRequests,
  composeScenarios,
  readSeedTexts,
} from "./compose-rows.ts";
import { composeRuleRequests } from "./compose-rules.ts";
import { type Row, readPublicRows, readSeedRows } from "./rows.ts";
import type { TrainingData } from "./sources.ts";

/** All training rows: public ones, our own, and those derived from both. Deterministic. */
export async function loadTrainingRows(data: TrainingData, seeds: string): Promise<Row[]> {
  const rows = [
    ...(await readPublicRows(data)),
    ...(await readSeedRows(seeds)),
    ...(await composeRequests(seeds, 2)),
    ...(await composeScenarios(seeds, 10)),
    ...composeEditingRequests(7),
    ...(await composeInstructionRequests(seeds, 13)),
    ...(await composeRoles(seeds, 14)),
    ...(await composeGoals(seeds, 15)),
    ...(await composeRuleRequests(seeds, 17)),
  ];
  const instructions = await readSeedTexts(`${seeds}/document/payloads.jsonl`);
  return [
    ...rows,
    ...(await composeDocuments(seeds, 1)),
    ...(await composeGuidance(seeds, 16)),
    ...augmentRows(rows, 4),
    ...disguiseBenignRows(rows, 8),
    ...composeFragments(rows, 9),
    ...composeIntroducedQuestions(rows, 12),
    ...embedInDocuments(rows, [...instructions, ...collectStrayTasks(rows, 6)], 5),
  ];
}
