import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { type DeployedContract, type EvmNode, startEvmNode } from "../support/evm-node.ts";
import { ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** How many times the service is killed; more by the variable. */
const KILLS = Number(process.env.X402_KILLS ?? 4);
const KEY = "operator-key-of-this-test";
const SETTLEMENT_KEY = "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6";
const PAY_TO = "0x00000000000000000000000000000000000000aa";

const sandbox = new ProcessSandbox();
let node: EvmNode;
let token: DeployedContract;
let provider: ScriptedProvider;
let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  [node, provider, test] = await Promise.all([startEvmNode(), startProvider(), createTestDatabase()]);
  database = openDatabase(test.address, () => undefined);
  token = await node.deploy("TrunklineToken", ["Dollar", "USD", 6, 10n ** 15n, node.account(0).address]);
});
afterAll(async () => {
  await sandbox.clear();
  await database.close();
  await Promise.all([provider.stop(), node.stop()]);
  await test.drop();
});

async function start(): Promise<{ service: SpawnedService; url: string }> {
  const service = sandbox.start(await sandbox.folder(), {
    DATABASE_URL: test.url,
    TRUNKLINE_SECRET: "a secret for this test only",
    TRUNKLINE_BOOTSTRAP_KEY: KEY,
    TRUNKLINE_DISCOVERY: "off",
    TRUNKLINE_X402_PAY_TO: PAY_TO,
    TRUNKLINE_X402_ASSET: token.address,
    TRUNKLINE_X402_CHAIN_ID: String(node.chainId),
    TRUNKLINE_X402_RPC_URL: node.url,
    TRUNKLINE_X402_KEY: SETTLEMENT_KEY,
  });
  return { service, url: await service.url() };
}

it(`has one payment for each answer, and none without, over ${KILLS} kills`, { timeout: 300_000 }, async () => {
  let { service, url } = await start();
  const registered = await fetch(`${url}/v1/provider/models`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(registrationOf(provider, "paid")),
  });
  expect(registered.status).toBe(201);
  const answers = new Map<string, number>();
  for (let round = 0; round < KILLS; round++) {
    const wallet = privateKeyToAccount(`0x${String(round + 1).padStart(63, "2")}5`);
    await node.send(node.account(0), token, "transfer", [wallet.address, 1_000_000n]);
    const client = x402Client.fromConfig({
      schemes: [{ network: `eip155:${node.chainId}`, client: new ExactEvmScheme(wallet) }],
      spendControls: { allowedAssets: true },
    });
    // The first dies while the model answers; the others at ever later moments after it was asked.
    const current = service;
    provider.script = (response, call) => {
      const delayMs = round === 0 ? -1 : (round * 37) % 150;
      if (delayMs < 0) current.signal("SIGKILL");
      else setTimeout(() => current.signal("SIGKILL"), delayMs);
      return answerPlainly(response, call);
    };
    const status = await wrapFetchWithPayment(fetch, client)(`${url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "paid", messages: [{ role: "user", content: "Hello" }], max_tokens: 100 }),
    }).then(
      (response) =>
        response.text().then(
          () => response.status,
          () => 0,
        ),
      () => 0,
    );
    answers.set(wallet.address.toLowerCase(), status);
    await current.ended;
    ({ service, url } = await start());
  }
  for (let waits = 0; ; waits++) {
    const open = await database.query("SELECT 1 FROM x402_payments WHERE state IN ('running', 'ended', 'settling')");
    if (open.length === 0) break;
    if (waits > 900) throw new Error("A payment stays open.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const [payer, status] of answers) {
    const rows = await database.query<{ state: string; cost: bigint }>(
      `SELECT state, (SELECT coalesce(sum(cost), 0)::bigint FROM requests WHERE key_id = p.id) AS cost FROM x402_payments p WHERE payer = $1`,
      [payer],
    );
    const left = await node.client.readContract({
      address: token.address,
      abi: token.abi,
      functionName: "balanceOf",
      args: [payer],
    });
    expect(rows.length).toBeLessThanOrEqual(1);
    const isPaid = rows[0]?.state === "settled";
    expect(left, `${payer}, answered ${status}, ${rows[0]?.state}`).toBe(isPaid ? 990_000n : 1_000_000n);
    expect(isPaid).toBe((rows[0]?.cost ?? 0n) > 0n);
    // Who has an answer has paid for it.
    if (status === 200) expect(isPaid).toBe(true);
  }
  const { findings } = await auditLedger(database);
  expect(
    findings.filter(({ verdict }) => verdict === "broken").map(({ check, examples }) => [check, examples[0]]),
  ).toEqual([]);
});
