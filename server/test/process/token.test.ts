import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { type DeployedContract, type EvmNode, startEvmNode } from "../support/evm-node.ts";
import { ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";
import { createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";
import { CONFIRMATIONS, deployToken, freshTreasury } from "../support/token-trial.ts";

/** How many times the service is killed; more by the variable. */
const KILLS = Number(process.env.TOKEN_KILLS ?? 2);
const KEY = "operator-key-of-this-test";
const TOKEN = 10n ** 18n;

const sandbox = new ProcessSandbox();
const treasury = freshTreasury();
let node: EvmNode;
let token: DeployedContract;
let store: TestDatabase;
let database: Database;
let gate: Server;
let gateUrl: string;
let service: SpawnedService;
let url: string;
/** Called with every question to the chain, before it is answered. */
let onQuestion: (method: string) => void = () => undefined;

beforeAll(async () => {
  [node, store] = await Promise.all([startEvmNode(), createMigratedDatabase()]);
  database = openDatabase(store.address, () => undefined);
  token = await deployToken(node);
  gate = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    onQuestion(JSON.parse(body).method);
    const answer = await fetch(node.url, { method: "POST", headers: { "content-type": "application/json" }, body });
    response.setHeader("content-type", "application/json");
    response.end(await answer.text());
  }).listen(0, "127.0.0.1");
  await once(gate, "listening");
  const address = gate.address();
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  gateUrl = `http://127.0.0.1:${address.port}`;
});
afterAll(async () => {
  await sandbox.clear();
  await database.close();
  gate.close();
  await node.stop();
  await store.drop();
});

async function start(): Promise<void> {
  service = sandbox.start(await sandbox.folder(), {
    DATABASE_URL: store.url,
    TRUNKLINE_SECRET: "a secret for this test only",
    TRUNKLINE_BOOTSTRAP_KEY: KEY,
    TRUNKLINE_DISCOVERY: "off",
    TRUNKLINE_TOKEN_RPC_URL: gateUrl,
    TRUNKLINE_TOKEN_CHAIN_ID: String(node.chainId),
    TRUNKLINE_TOKEN_CONTRACT: token.address,
    TRUNKLINE_TOKEN_TREASURY: treasury,
    TRUNKLINE_TOKEN_RATE: "2.5",
    TRUNKLINE_TOKEN_CONFIRMATIONS: String(CONFIRMATIONS),
  });
  url = await service.url();
  // The lease of the one before is over.
  await database.query("UPDATE token_scans SET leased_until = now()");
}

const ask = (method: string, path: string, body?: unknown) => call(url, method, path, body, { key: KEY });
const balance = async () => (await ask("GET", "/v1/balance")).json.balance as number;

it(`credits every transfer once over ${KILLS} kills of the process that reads the chain`, async () => {
  await start();
  const before = await balance();
  const wallet = node.account(2);
  await node.send(node.account(0), token, "transfer", [wallet.address, 1_000n * TOKEN]);
  const { message } = (await ask("POST", "/v1/billing/wallets/challenge", { address: wallet.address })).json;
  const linked = await ask("POST", "/v1/billing/wallets", {
    message,
    signature: await wallet.signMessage({ message }),
  });
  expect(linked.status, linked.text).toBe(201);
  for (let round = 0; round < KILLS; round++) {
    await node.send(wallet, token, "transfer", [treasury, TOKEN]);
    await node.client.mine({ blocks: CONFIRMATIONS });
    // Dies at an ever later question of the pass that reads this transfer, or a moment after it.
    let left = 1 + (round % 14);
    const killed = service;
    onQuestion = (method) => {
      if (method === "eth_getLogs" || left < 1 + (round % 14)) left--;
      if (left === 0) setTimeout(() => killed.signal("SIGKILL"), (round * 7) % 23);
    };
    await killed.ended;
    onQuestion = () => undefined;
    await start();
  }
  await expect.poll(balance).toBe(before + 2.5 * KILLS);
  const { findings } = await auditLedger(database);
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  const [row] = await database.query<{ count: bigint }>("SELECT count(*) FROM token_deposits WHERE state = 'credited'");
  expect(row?.count).toBe(BigInt(KILLS));
});
