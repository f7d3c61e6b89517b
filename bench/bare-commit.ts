import { findRunningPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { openDatabase } from "../server/src/store/database/database.ts";

/** How long one commit takes on a gateway's own PostgreSQL and disk: one row at a time, by a statement that is planned once. */

const WARM_UP = 50;
const COMMITS = 300;

const [dataDir = ""] = process.argv.slice(2);
const address = await findRunningPostgres(dataDir);
if (address === undefined) throw new Error(`No gateway runs on ${dataDir}.`);
const database = openDatabase(address, (error) => {
  throw error;
});
await database.query("CREATE TABLE IF NOT EXISTS bare_commits (id bigint GENERATED ALWAYS AS IDENTITY, amount bigint)");
const times: number[] = [];
for (let commit = -WARM_UP; commit < COMMITS; commit++) {
  const before = performance.now();
  await database.prepared("bare-commit", "INSERT INTO bare_commits (amount) VALUES ($1)", [String(commit)]);
  if (commit >= 0) times.push(performance.now() - before);
}
await database.close();
process.stdout.write(JSON.stringify(times));
