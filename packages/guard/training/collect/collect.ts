import { mkdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type CollectedRow, Repositories } from "./collected-row.ts";
import { collectDirectOrders, collectDocuments, collectPlainTasks } from "./documents.ts";
import { collectModeration } from "./moderation.ts";
import { collectClientPrompts, collectHarmfulRequests, collectJudgePrompts, collectPolicies } from "./requests.ts";

// `npm run safety:collect -- --repositories <folder> --out <folder>` makes the data files `train/*collected*.jsonl` from
// clones of public repositories at `<folder>/<owner>/<name>`; README.md lists them.
const { values } = parseArgs({ options: { repositories: { type: "string" }, out: { type: "string" } } });
if (values.repositories === undefined || values.out === undefined) {
  process.stderr.write("Pass the folder of the clones as --repositories, and the data folder as --out.\n");
  process.exit(1);
}
const repositories = new Repositories(values.repositories);
const files: Readonly<Record<string, readonly CollectedRow[]>> = {
  collected_documents: await collectDocuments(repositories),
  collected_requests: [
    ...(await collectDirectOrders(repositories)),
    ...(await collectPlainTasks(repositories)),
    ...(await collectHarmfulRequests(repositories)),
    ...(await collectClientPrompts(repositories)),
    ...(await collectJudgePrompts(repositories)),
    ...(await collectPolicies(repositories)),
  ],
  moderation_collected: await collectModeration(repositories),
};
await mkdir(`${values.out}/train`, { recursive: true });
for (const [name, rows] of Object.entries(files)) {
  await writeFile(`${values.out}/train/${name}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  process.stdout.write(`${name}: ${rows.length} rows\n`);
}
