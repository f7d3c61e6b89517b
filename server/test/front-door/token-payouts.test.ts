import { Secret } from "@trunkline/core/secret.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Config } from "../../src/app/config/config.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { sealLedger } from "../../src/store/ledger/seal-ledger.ts";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type DeployedContract, type EvmNode, startEvmNode } from "../support/evm-node.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";
import { freshTreasury, tokenSettings } from "../support/token-trial.ts";

/** The key of the node's account 9, which has coins for gas. */
const PAYOUT_KEY = "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6";
const SUPPLY = 10n ** 24n;

let node: EvmNode;
let token: DeployedContract;
let service: StartedService;
let second: StartedService;
let provider: ScriptedProvider;
let owner: Customer;
let client: Customer;

beforeAll(async () => {
  [node, provider] = await Promise.all([startEvmNode(), startProvider()]);
  token = await node.deploy("TrunklineToken", ["Trunk", "TRK", 18, SUPPLY, node.account(9).address]);
  const settings = tokenSettings(node, token, freshTreasury(), { confirmations: 2 });
  const change = (config: Config): Config => ({
    ...config,
    token: settings,
    payouts: { ...config.payouts, tokenKey: new Secret(PAYOUT_KEY) },
  });
  service = await startService(change);
  second = await startSibling(service, change);
  owner = await openCustomer(service, 0);
  client = await openCustomer(service, 1_000);
  const pricing = { input_per_1k_tokens: 1_000, output_per_1k_tokens: 1_000 };
  await registerAsOtherAccount(service, owner, registrationOf(provider, "heron", { pricing }), "active");
});
afterAll(async () => {
  await second.stop();
  await service.stop();
  await Promise.all([provider.stop(), node.stop()]);
});

const asOwner = (method: string, path: string, body?: unknown) => service.call(method, path, body, { key: owner.key });
const tokensOf = (address: string) =>
  node.client.readContract({ address: token.address, abi: token.abi, functionName: "balanceOf", args: [address] });
const payoutOf = async (id: string) =>
  (await asOwner("GET", "/v1/provider/payouts")).json.data.find((payout: { id: string }) => payout.id === id);
const run = () => Promise.all([service, second].map(async ({ services }) => services.token?.payouts?.run()));

/** Earns 27 credits, requests them and has them approved. */
async function approvePayout(): Promise<string> {
  const body = { input: "Hello", model: `${owner.provider}/heron`, parameters: { max_tokens: 20 } };
  const answer = await service.call("POST", "/v1/generate", body, { key: client.key });
  expect(answer.status, answer.text).toBe(200);
  await sealLedger(service.database);
  await service.services.ledger.providerEarnings.collect(100_000);
  const requested = await asOwner("POST", "/v1/provider/payouts", {});
  expect(requested.status, requested.text).toBe(201);
  const { id } = requested.json;
  const approved = await service.call("POST", `/v1/admin/payouts/${id}/approve`);
  expect(approved.json).toMatchObject({ state: "approved", method: "token", amount: 27 });
  return id;
}

it("is paid once in the token, by any number of instances, also after crashes before and after it is sent", async () => {
  const wallet = freshTreasury();
  const path = "/v1/provider/payout-destination";
  const mistyped = wallet.replace(/[a-f]/, (letter) => letter.toUpperCase());
  const typo = mistyped === wallet ? wallet.replace(/[A-F]/, (letter) => letter.toLowerCase()) : mistyped;
  for (const destination of ["0x1234", typo, `0x${"0".repeat(40)}`, token.address]) {
    const wrong = await asOwner("PUT", path, { method: "token", destination });
    expectRefusal(wrong, 400, "invalid_request", { param: "destination" });
  }
  expect((await asOwner("PUT", path, { method: "token", destination: wallet })).status).toBe(200);
  const id = await approvePayout();
  expectRefusal(await service.call("POST", `/v1/admin/payouts/${id}/paid`, { reference: "x" }), 409, "conflict");

  // Not mined: the signed transaction is stored, and the node forgets it as if the service had died before it was sent.
  await node.client.setAutomine(false);
  await run();
  expect(await payoutOf(id)).toMatchObject({ state: "sending" });
  const stored = () =>
    service.database.query<{ transaction: `0x${string}` }>("SELECT transaction FROM payouts WHERE id = $1", [id]);
  const [before] = await stored();
  await node.client.dropTransaction({ hash: before?.transaction ?? "0x" });
  expectRefusal(await service.call("POST", `/v1/admin/payouts/${id}/fail`, { reason: "No." }), 409, "conflict");
  await Promise.all([run(), run(), run()]);
  expect(await stored()).toEqual([before]);
  await node.client.mine({ blocks: 1 });
  await run();
  // One block is not enough.
  expect(await payoutOf(id)).toMatchObject({ state: "sending" });
  await node.client.mine({ blocks: 1 });
  await Promise.all([run(), run()]);
  expect(await payoutOf(id)).toMatchObject({ state: "sent", reference: before?.transaction });
  await node.client.setAutomine(true);
  await run();
  // 27 credits at two and a half a token.
  expect(await tokensOf(wallet)).toBe(10_800_000_000_000_000_000n);
  expect(await tokensOf(node.account(9).address)).toBe(SUPPLY - 10_800_000_000_000_000_000n);

  const next = await approvePayout();
  await run();
  await node.client.mine({ blocks: 1 });
  await run();
  expect(await payoutOf(next)).toMatchObject({ state: "sent" });
  expect(await tokensOf(wallet)).toBe(21_600_000_000_000_000_000n);
  const { findings } = await auditLedger(service.database);
  expect(
    findings.filter(({ verdict }) => verdict === "broken").map(({ check, examples }) => [check, examples[0]]),
  ).toEqual([]);
});
