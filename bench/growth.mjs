// @ts-check
/**
 * Whether a request costs more where there are many models, accounts or past requests, and how soon a service with many accounts
 * is ready. Gateways with one core take turns, beside a second one that is like the first: it shows how much two processes of
 * the same program differ. `npm run bench:growth`, and `--save` to put the figures into docs/benchmarks.md.
 */
import { createHash, randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { openDatabase } from "../server/src/store/database/database.ts";
import { BenchFailure } from "./bench-failure.mjs";
import { treeOf } from "./process-tree.mjs";
import { machineAt, saveReport } from "./report.mjs";
import { writeLedgerHistory } from "./retention-history.mjs";
import { chatOrder, gatewayTarget, pin, sample, warmUp } from "./speed-targets.mjs";
import { onStand } from "./stand.mjs";
import { digits, median, quantile, tableOf } from "./statistics.mjs";

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {import("./speed-targets.mjs").SpeedTarget} SpeedTarget */
/** @typedef {import("../server/src/store/database/database.ts").Database} Database */
/** @typedef {{ name: string, target: SpeedTarget, keys?: readonly string[] | undefined }} Case */

const { values: options } = parseArgs({
  options: {
    models: { type: "string", default: "1000" },
    accounts: { type: "string", default: "100000" },
    requests: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "20" },
    save: { type: "boolean", default: false },
  },
});
const [MODELS, ACCOUNTS, REQUESTS, ROUNDS] = [options.models, options.accounts, options.requests, options.rounds].map(
  (text) => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1) throw new BenchFailure(`${text} is not a whole number above 0.`);
    return number;
  },
);
const FEW_MODELS = 10;
/** So many of the accounts send requests, in turn. */
const BUSY_ACCOUNTS = Math.min(200, ACCOUNTS ?? 0);
const HISTORY_BATCH = 50_000;
const ROUND_MS = 600;
const CONNECTIONS = 64;
const STARTS = 3;
const GATEWAY_CORE = 0;
const OTHERS_CORE = 1;
const LIMIT_MS = 3_600_000;
/** The claim: no more than this much more or less than where there is little. */
const CLAIM = 0.15;

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);

/**
 * Starts a gateway, fills its database, and starts it again. Returns how long the last starts took, without warm-up.
 * @param {Stand} stand @param {string} data @param {number} [chatModels] @param {(database: Database) => Promise<unknown>} [fill]
 */
async function startFilled(stand, data, chatModels = FEW_MODELS, fill) {
  const how = { hasChatModelsAlone: true, data, chatModels };
  let gateway = await stand.startGateway(how);
  if (fill !== undefined) {
    await gateway.stop();
    const postgres = await startEmbeddedPostgres({ dataDir: gateway.dataDir, log: () => undefined });
    const database = openDatabase(postgres.connection, (error) => say(error.message));
    await fill(database);
    // What autovacuum does in time.
    await database.query("VACUUM (ANALYZE)");
    await database.close();
    await postgres.stop();
  }
  const starts = [];
  for (let start = 0; start < STARTS; start++) {
    if (start > 0 || fill === undefined) await gateway.stop();
    gateway = await stand.startGateway(how);
    starts.push(gateway.readyMs);
  }
  for (const pid of treeOf(gateway.pid)) pin(pid, GATEWAY_CORE);
  return { target: gatewayTarget(data, gateway), readyMs: Math.min(...starts) };
}

/** Accounts with a key and ten credits each. Returns the keys of the first of them. @param {Database} database */
async function writeAccounts(database) {
  const keys = Array.from({ length: BUSY_ACCOUNTS }, () => `sk-live-${randomUUID()}`);
  await database.query(
    "CREATE TABLE bench_accounts AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, $1) AS n",
    [ACCOUNTS],
  );
  await database.query("INSERT INTO accounts (id, name, provider) SELECT id, 'Bench', id::text FROM bench_accounts");
  await database.query(
    "INSERT INTO api_keys (id, account_id, name, scopes, requests_per_minute) SELECT id, id, 'Bench', '{inference}', 10000000 FROM bench_accounts",
  );
  await database.query(
    `INSERT INTO api_key_secrets (hash, key_id, hint)
     SELECT coalesce(($1::bytea[])[n], uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), id, 'sk-l…' FROM bench_accounts`,
    [keys.map((key) => createHash("sha256").update(key).digest())],
  );
  await database.query(
    "INSERT INTO ledger_accounts (kind, account_id, balance) SELECT 'customer', id, 10000000000 FROM bench_accounts",
  );
  await database.query(
    `INSERT INTO ledger_transfers (kind, debit, credit, amount) SELECT 'grant', (SELECT id FROM ledger_accounts WHERE kind = 'issued'), id, balance
     FROM ledger_accounts WHERE kind = 'customer' AND account_id IN (SELECT id FROM bench_accounts)`,
  );
  await database.query(
    "UPDATE ledger_accounts SET balance = balance - (SELECT count(*) FROM bench_accounts) * 10000000000 WHERE kind = 'issued'",
  );
  await database.query("DROP TABLE bench_accounts");
  return keys;
}

/** @param {Stand} stand */
async function measureGrowth(stand) {
  await stand.open();
  say("Filling the databases.");
  const few = await startFilled(stand, "few");
  const again = await startFilled(stand, "again");
  const models = await startFilled(stand, "models", MODELS);
  /** @type {readonly string[]} */
  let keys = [];
  const accounts = await startFilled(stand, "accounts", FEW_MODELS, async (database) => {
    keys = await writeAccounts(database);
  });
  const past = await startFilled(stand, "past", FEW_MODELS, (database) =>
    writeLedgerHistory(database, REQUESTS ?? 0, HISTORY_BATCH),
  );
  const number = (/** @type {number | undefined} */ value) => digits(value ?? 0, 0);
  /** @type {readonly [Case, ...Case[]]} */
  const cases = [
    { name: `${FEW_MODELS} models, 1 account, no past requests`, target: few.target },
    { name: "the same again", target: again.target },
    { name: `${number(MODELS)} models`, target: models.target },
    { name: `${number(ACCOUNTS)} accounts, of which one sends`, target: accounts.target },
    {
      name: `${number(ACCOUNTS)} accounts, of which ${number(BUSY_ACCOUNTS)} send in turn`,
      target: accounts.target,
      keys,
    },
    { name: `${number(REQUESTS)} past requests`, target: past.target },
  ];
  say("Warming up.");
  for (const target of new Set(cases.map((one) => one.target))) await warmUp(stand, target);
  say("Measuring.");
  /** @type {Map<Case, { cpuUs: number[], storeCpuUs: number[] }>} */
  const measured = new Map(cases.map((one) => [one, { cpuUs: [], storeCpuUs: [] }]));
  for (let round = 0; round < (ROUNDS ?? 0); round++) {
    // Which one is first changes, so that none gets the warmer machine.
    for (let turn = 0; turn < cases.length; turn++) {
      const one = cases[(round + turn) % cases.length] ?? cases[0];
      const order = { ...chatOrder(one.target), connections: CONNECTIONS, forMs: ROUND_MS };
      const { cpuUs, storeCpuUs } = await sample(stand, one.target, { ...order, ...(one.keys && { keys: one.keys }) });
      measured.get(one)?.cpuUs.push(cpuUs);
      measured.get(one)?.storeCpuUs.push(storeCpuUs);
    }
  }
  const [base] = cases;
  const baseline = measured.get(base)?.cpuUs ?? [];
  const rows = cases.map((one) => {
    const { cpuUs, storeCpuUs } = measured.get(one) ?? { cpuUs: [], storeCpuUs: [] };
    const shares = cpuUs.map((us, round) => us / (baseline[round] ?? Number.NaN));
    const isBase = one === base;
    return {
      share: median(shares),
      cells: [
        one.name,
        digits(median(cpuUs), 0),
        isBase ? "" : `${digits(median(shares), 2)}×`,
        isBase ? "" : `${digits(quantile(shares, 0.25), 2)}–${digits(quantile(shares, 0.75), 2)}×`,
        digits(median(storeCpuUs), 0),
      ],
    };
  });
  const far = rows.filter(({ share }) => Math.abs(share - 1) > CLAIM);
  const heads = ["there are", "CPU µs/req", "of the first", "half of the rounds", "PostgreSQL CPU µs/req"];
  const claimed = `each within ${100 * CLAIM} % of the first`;
  const report = [
    machineAt(loadBefore),
    "",
    ...tableOf(
      heads,
      rows.map(({ cells }) => cells),
      1,
    ),
    "",
    `Claimed: ${claimed}. The claim ${far.length === 0 ? "holds" : "**is missed**"}.`,
    "",
    `Ready after ${number(few.readyMs)} ms with one account, ${number(accounts.readyMs)} ms with ${number(ACCOUNTS)} accounts, ${number(past.readyMs)} ms with ${number(REQUESTS)} past requests, ${number(models.readyMs)} ms with ${number(MODELS)} models: the best of ${STARTS} starts.`,
    "",
  ].join("\n");
  process.stdout.write(`\n${report}`);
  if (options.save) await saveReport(report, "## Figures of growth");
}

// What the bench itself puts on the machine does not count.
const loadBefore = loadavg()[0] ?? 0;
// What is started from here on stays on this core, unless it is a gateway.
pin(process.pid, OTHERS_CORE);
await onStand(LIMIT_MS, measureGrowth);
