// @ts-check
/**
 * Measures what reading costs where there are many requests: by an account with four fifths of them, and by one with
 * 100,000 in the same store, in turns; and holds every sum against the plain sum over the requests.
 * `npm run bench:usage -- --requests 10000000`, and `--save` to put the figures into docs/benchmarks.md.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { firstIdAt } from "@trunkline/core/id.ts";
import { createLogger } from "@trunkline/core/log.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { readConfig } from "../server/src/app/config/config.ts";
import { createServices } from "../server/src/app/create-services.ts";
import { prepareOperator } from "../server/src/app/first-start.ts";
import { HttpServer } from "../server/src/http/server/http-server.ts";
import { openDatabase } from "../server/src/store/database/database.ts";
import { BenchFailure } from "./bench-failure.mjs";
import { saveReport } from "./report.mjs";
import { checkSums } from "./usage-check.mjs";
import { DAYS, writeHistory } from "./usage-history.mjs";
import { usageReportOf } from "./usage-report.mjs";

const OPERATOR_KEY = "bench-key-for-loopback-only";
const PROVIDERS = ["large", "small", "other-1", "other-2", "other-3", "other-4"];
const KEYS_EACH = 5;
const SMALL_REQUESTS = 100_000;
const ROUNDS = 11;
const DAY_MS = 86_400_000;

/** @typedef {import("../server/src/store/database/database.ts").Database} Database */
/** @typedef {import("../server/src/store/database/servers.ts").DatabaseAddress} Address */
/** @typedef {import("./usage-check.mjs").Read} Read */
/** @typedef {{ id: string, key: string, keys: readonly string[] }} Account */
/** @typedef {(method: "GET" | "POST", path: string, key: string, body?: unknown) => Promise<any>} Call */
/** @typedef {(cleanUp: () => Promise<unknown>) => void} Later */

/** @param {Later} later */
async function bench(later) {
  const requests = readRequests();
  const loadBefore = loadavg()[0] ?? 0;
  const folder = await mkdtemp(join(tmpdir(), "trunkline-bench-usage-"));
  later(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another account, which must be able to pass.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
  later(() => postgres.stop());
  const call = await openGateway(postgres.connection, later);
  const database = openDatabase(postgres.connection, (error) => say(error.message));
  later(() => database.close());

  const accounts = [];
  for (const provider of PROVIDERS) accounts.push(await openAccount(call, provider));
  const pair = accounts.slice(0, 2);
  const from = new Date(Date.now() - DAYS * DAY_MS);
  const small = Math.min(SMALL_REQUESTS, requests / 10);
  const onProgress = (/** @type {number} */ written) => say(`${written.toLocaleString("en")} requests written.`);
  await writeHistory(database, { owners: accounts, requests, small, from, onProgress });

  const reads = readsSince(from);
  const ask = (/** @type {Read} */ { path, body }, /** @type {Pick<Account, "key">} */ { key }) =>
    call(body === undefined ? "GET" : "POST", path, key, body);
  say("Holding every sum against the requests.");
  const plainSumMs = await checkSums(database, pair, reads, ask);
  say("Measuring.");
  const timings = [];
  for (const read of reads) timings.push(await measure(read, pair, ask));
  const counts = await countsOf(database, pair);
  const report = usageReportOf(timings, { requests, days: DAYS, loadBefore, plainSumMs, ...counts });
  process.stdout.write(`\n${report}`);
  if (process.argv.includes("--save")) await saveReport(report, "## Figures with many requests");
}

function readRequests() {
  const at = process.argv.indexOf("--requests");
  const requests = at === -1 ? 1_000_000 : Number(process.argv[at + 1]);
  if (!Number.isInteger(requests) || requests < 10_000)
    throw new BenchFailure("`--requests` must be a whole number of at least 10000.");
  return requests;
}

/** The service as it is started for tests: a real socket, on a real database. @param {Address} address @param {Later} later @returns {Promise<Call>} */
async function openGateway(address, later) {
  const config = readConfig({
    TRUNKLINE_BOOTSTRAP_KEY: OPERATOR_KEY,
    TRUNKLINE_LOG_LEVEL: "warn",
    PORT: "0",
  });
  const secret = new Secret("the secret of a bench");
  const services = await createServices({ config, address, secret, log: createLogger(config.logLevel) });
  later(() => services.lifecycle.close());
  await prepareOperator(services);
  const app = new HttpServer(services);
  later(() => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return async (method, path, key, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new BenchFailure(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
}

/** @param {Call} call @param {string} provider @returns {Promise<Account>} */
async function openAccount(call, provider) {
  const { id } = await call("POST", "/v1/admin/accounts", OPERATOR_KEY, { name: provider, provider });
  const made = [];
  for (let place = 1; place <= KEYS_EACH; place++) {
    const terms = {
      name: `Key ${place}`,
      scopes: ["read", "manage", "provider"],
      requests_per_minute: 1_000_000,
    };
    made.push(await call("POST", `/v1/admin/accounts/${id}/keys`, OPERATOR_KEY, terms));
  }
  return { id, key: made[0].key, keys: made.map((key) => key.id) };
}

/** What is measured. The range of 30 days lies in the middle; where it is cut, both ends lie inside a quarter of an hour. @param {Date} start @returns {Read[]} */
function readsSince(start) {
  const midnight = Math.floor(start.getTime() / DAY_MS) * DAY_MS;
  const after = (/** @type {number} */ days, ms = 0) => new Date(midnight + days * DAY_MS + ms);
  const date = (/** @type {Date} */ moment) => moment.toISOString().slice(0, 10);
  const days = { from: after(30), to: after(60) };
  const cut = { from: after(30, 37_513_217), to: after(60, 55_411_903) };
  const minutes = { from: after(45, 44_123_456), to: after(45, 44_543_210) };
  const between = (/** @type {{ from: Date, to: Date }} */ { from, to }) =>
    `from=${from.toISOString()}&to=${to.toISOString()}`;
  const zone = "Asia/Kathmandu";
  /** @type {(group: string, title?: string, query?: string, asks?: object) => Read} */
  const breakdown = (group, title = "", query = "", asks = {}) => ({
    name: `breakdown by ${group}${title}`,
    path: `/v1/usage/breakdown?group_by=${group}${query}`,
    asks: { group, ...asks },
  });
  return [
    { name: "usage, all time", path: "/v1/usage", asks: {} },
    { name: "usage, 30 days", path: `/v1/usage?from=${date(days.from)}&to=${date(after(59))}`, asks: days },
    { name: "usage, 30 days cut inside quarters", path: `/v1/usage?${between(cut)}`, asks: cut },
    { name: "usage, 7 minutes", path: `/v1/usage?${between(minutes)}`, asks: minutes },
    breakdown("day"),
    breakdown("day", ` in ${zone}`, `&timezone=${zone}`, { zone }),
    breakdown("model"),
    breakdown("key"),
    breakdown("task"),
    breakdown("provider"),
    breakdown("model", ", 30 days cut inside quarters", `&${between(cut)}`, cut),
    { name: "requests, newest 100", path: "/v1/requests?limit=100" },
    {
      name: "requests, 100 from the middle",
      path: `/v1/requests?limit=100&cursor=${firstIdAt(after(45).getTime())}`,
    },
    { name: "keys with when they were last used", path: "/v1/keys" },
    { name: "provider's use, newest 100 models and days", path: "/v1/provider/usage?limit=100" },
    {
      name: "provider's use, a week",
      path: `/v1/provider/usage?from=${date(after(40))}&to=${date(after(46))}`,
    },
    {
      name: "provider's report of all time",
      path: "/v1/provider/usage",
      body: { usage: { requests: 1, tokens_processed: 1 } },
    },
  ];
}

/** In turns, so that both accounts meet the machine in the same mood; the first turn warms up. @param {Read} read @param {readonly Account[]} pair @param {(read: Read, account: Account) => Promise<unknown>} ask */
async function measure(read, pair, ask) {
  /** @type {[number[], number[]]} */
  const times = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [place, account] of pair.entries()) {
      const startedAt = performance.now();
      await ask(read, account);
      if (round > 0) times[place]?.push(performance.now() - startedAt);
    }
  }
  return { name: read.name, largeMs: times[0], smallMs: times[1] };
}

/** @param {Database} database @param {readonly Account[]} pair */
async function countsOf(database, pair) {
  const [store] = await database.query("SELECT pg_size_pretty(pg_database_size(current_database())) AS size");
  const counts = [];
  for (const { id } of pair) {
    const count = async (/** @type {string} */ table) => {
      const [row] = await database.query(`SELECT count(*) AS count FROM ${table} WHERE account_id = $1`, [id]);
      return Number(row?.count);
    };
    counts.push({ requests: await count("requests"), quarters: await count("usage_quarters") });
  }
  return { size: String(store?.size), accounts: counts };
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

/** @type {(() => Promise<unknown>)[]} */
const cleanUps = [];
const stopped = new Promise((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => reject(new BenchFailure("It was told to stop.")));
});
try {
  await Promise.race([bench((cleanUp) => cleanUps.push(cleanUp)), stopped]);
} catch (error) {
  say(error instanceof BenchFailure ? error.message : error instanceof Error ? (error.stack ?? "") : String(error));
  process.exitCode = 1;
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp().catch((error) => say(error.message));
}
