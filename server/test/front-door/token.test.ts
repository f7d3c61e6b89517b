import { newId } from "@trunkline/core/id.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TokenServices } from "../../src/app/services.ts";
import type { PostgresTokenDeposits } from "../../src/store/payments/token-deposits.ts";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { type DeployedContract, type EvmNode, startEvmNode } from "../support/evm-node.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import {
  CONFIRMATIONS,
  deployToken,
  expectCleanAudit,
  freshTreasury,
  linkWallet,
  openPayer,
  TokenTrial,
  tokenSettings,
} from "../support/token-trial.ts";

const TOKEN = 10n ** 18n;
/** The number of transfers that are read again from the first block; 1,000 with this variable set so. */
const REPLAYED = Number(process.env.TOKEN_TRANSFERS ?? 60);

let node: EvmNode;
let service: StartedService;
let provider: ScriptedProvider;
let token: DeployedContract;
const treasury = freshTreasury();

beforeAll(async () => {
  node = await startEvmNode();
  token = await deployToken(node);
  service = await startService((config) => ({ ...config, token: tokenSettings(node, token, treasury) }));
  // These tests say when the chain is read.
  await tokens().watcher.stop();
  provider = await startProvider();
  await service.call(
    "POST",
    "/v1/provider/models",
    registrationOf(provider, "fixed", { pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 } }),
  );
});

afterAll(async () => {
  await expectCleanAudit(service);
  await service.stop();
  await provider.stop();
  await node.stop();
});

function tokens(): TokenServices {
  if (service.services.token === undefined) throw new Error("The service accepts no token.");
  return service.services.token;
}

async function readChain(): Promise<void> {
  while (await tokens().watcher.pass());
}

const giveTokens = (to: string, units: bigint, of = token) => node.send(node.account(0), of, "transfer", [to, units]);
const mine = (blocks: number) => node.client.mine({ blocks });
const depositsOf = async (key: string) =>
  (await service.call("GET", "/v1/billing/token/deposits", undefined, { key })).json;

describe("a payment by token", () => {
  it("is shown while it waits, credited once when it is final, and can be spent", async () => {
    const payer = await openPayer(service, node);
    await giveTokens(payer.wallet.address, 10n * TOKEN);

    const terms = await service.call("GET", "/v1/billing/token", undefined, payer);
    expect(terms.json).toMatchObject({
      chain_id: node.chainId,
      contract: token.address.toLowerCase(),
      treasury: treasury.toLowerCase(),
      symbol: "TRK",
      decimals: 18,
      rate: { credits_per_token: "2.5", source: "fixed" },
      confirmations: CONFIRMATIONS,
    });

    const transaction = await node.send(payer.wallet, token, "transfer", [treasury, 2n * TOKEN]);
    await readChain();
    const waiting = await depositsOf(payer.key);
    expect(waiting.data).toEqual([]);
    expect(waiting.pending).toMatchObject([
      { transaction, amount: "2", credits: 5, confirmations: 1, confirmations_needed: CONFIRMATIONS },
    ]);
    await mine(1);
    await readChain();
    expect((await depositsOf(payer.key)).pending).toMatchObject([{ confirmations: 2 }]);
    expect((await balanceOf(service, payer.key)).balance).toBe(0);

    await mine(1);
    await readChain();
    const done = await depositsOf(payer.key);
    expect(done.pending).toEqual([]);
    expect(done.data).toMatchObject([{ state: "credited", transaction, received: "2", credits: 5, note: null }]);
    await readChain();
    expect((await balanceOf(service, payer.key)).balance).toBe(5);

    const answer = await service.call(
      "POST",
      "/v1/ai/request",
      { task: "chat", input: "Hello", model: "fixed" },
      { key: payer.key },
    );
    expect(answer.status, answer.text).toBe(200);
    expect((await balanceOf(service, payer.key)).balance).toBe(4);
    const { json } = await service.call("GET", "/v1/transactions?kind=deposit", undefined, payer);
    expect(json.data).toMatchObject([{ kind: "deposit", amount: 5 }]);
  });

  it("that the chain drops before it is final vanishes, and counts when it comes back", async () => {
    const payer = await openPayer(service, node);
    await giveTokens(payer.wallet.address, TOKEN);
    await node.reorganise(async () => {
      await node.send(payer.wallet, token, "transfer", [treasury, TOKEN]);
      await mine(1);
      await readChain();
      expect((await depositsOf(payer.key)).pending).toHaveLength(1);
    });
    await mine(CONFIRMATIONS);
    await readChain();
    expect(await depositsOf(payer.key)).toMatchObject({ data: [], pending: [] });

    await node.send(payer.wallet, token, "transfer", [treasury, TOKEN]);
    await mine(CONFIRMATIONS);
    await readChain();
    expect((await balanceOf(service, payer.key)).balance).toBe(2.5);
  });

  it("of a wallet that is a contract counts for each transfer in one transaction", async () => {
    const owner = node.account(3);
    const wallet = await node.deploy("ContractWallet", [owner.address]);
    await giveTokens(wallet.address, 10n * TOKEN);
    const customer = await openCustomer(service, 0, { scopes: ["read", "billing"] });
    await linkWallet(service, customer, wallet.address, owner);
    const transfer = (units: bigint) =>
      encodeFunctionData({ abi: token.abi, functionName: "transfer", args: [treasury, units] });
    await node.send(owner, wallet, "run", [
      [token.address, token.address],
      [transfer(TOKEN), transfer(3n * TOKEN)],
    ]);
    await mine(CONFIRMATIONS);
    await readChain();
    const { data } = await depositsOf(customer.key);
    expect(data.map(({ credits }: { credits: number }) => credits).toSorted()).toEqual([2.5, 7.5]);
    expect(new Set(data.map((deposit: { transaction: string }) => deposit.transaction)).size).toBe(1);
    expect((await balanceOf(service, customer.key)).balance).toBe(10);
  });

  it("from a wallet that no account has waits, and is credited when the wallet is linked", async () => {
    const stranger = node.account(4);
    await giveTokens(stranger.address, TOKEN);
    await node.send(stranger, token, "transfer", [treasury, TOKEN]);
    await mine(CONFIRMATIONS);
    await readChain();
    const unclaimed = await service.call("GET", "/v1/admin/token/deposits?state=unclaimed");
    expect(unclaimed.json.data).toMatchObject([
      { from: stranger.address.toLowerCase(), credits: 2.5, account_id: null },
    ]);

    const customer = await openCustomer(service, 0, { scopes: ["read", "billing"] });
    await linkWallet(service, customer, stranger.address, stranger);
    expect((await balanceOf(service, customer.key)).balance).toBe(2.5);
    await readChain();
    expect((await balanceOf(service, customer.key)).balance).toBe(2.5);
  });

  it("of another token does not count", async () => {
    const other = await deployToken(node);
    const payer = await openPayer(service, node);
    await giveTokens(payer.wallet.address, TOKEN, other);
    await node.send(payer.wallet, other, "transfer", [treasury, TOKEN]);
    await mine(CONFIRMATIONS);
    await readChain();
    expect(await depositsOf(payer.key)).toMatchObject({ data: [], pending: [] });
  });
});

describe("a payment of", () => {
  it.each([
    { what: "1 unit at 18 decimals", decimals: 18, units: 1n, state: "empty", credits: 0 },
    { what: "1 unit at 6 decimals", decimals: 6, units: 1n, state: "credited", credits: 0.0000025 },
    { what: "all but one nano-credit's units", decimals: 18, units: 1_199_999_999n, state: "credited", credits: 2e-9 },
    { what: "3 tokens at 6 decimals", decimals: 6, units: 3_000_000n, state: "credited", credits: 7.5 },
    { what: "2²⁵⁶ − 1 units", decimals: 18, units: 2n ** 256n - 1n, state: "review", credits: null },
  ])("$what is exact", async ({ decimals, units, state, credits }) => {
    const other = await deployToken(node, { decimals, supply: 2n ** 256n - 1n });
    const payer = await openPayer(service, node);
    const settings = tokenSettings(node, other, freshTreasury());
    await giveTokens(payer.wallet.address, units, other);
    await node.send(payer.wallet, other, "transfer", [settings.treasury, units]);
    await mine(CONFIRMATIONS);
    const trial = new TokenTrial(service, settings);
    await trial.read();
    const [deposit] = await trial.deposits.list({ accountId: undefined, state: undefined }, 1, undefined);
    expect(deposit).toMatchObject({ state, units, received: units, sender: payer.wallet.address.toLowerCase() });
    expect(deposit?.amount).toBe(credits === null ? undefined : BigInt(Math.round(credits * 1e9)));
    expect((await balanceOf(service, payer.key)).balance).toBe(credits ?? 0);
    await trial.close();
  });
});

describe("the watcher", () => {
  it("killed before or after any step loses nothing and credits nothing twice", async () => {
    const [treasuryOfTrial, payer] = [freshTreasury(), await openPayer(service, node)];
    await giveTokens(payer.wallet.address, 100n * TOKEN);
    const settings = tokenSettings(node, token, treasuryOfTrial, { startBlock: await node.client.getBlockNumber() });
    let paid = 0;
    let kills = 0;
    for (let step = 0, finished = false; !finished; step++) {
      await node.send(payer.wallet, token, "transfer", [treasuryOfTrial, TOKEN]);
      await mine(CONFIRMATIONS);
      paid++;
      const trial = new TokenTrial(service, settings, { wrapStore: (store) => dieAt(store, step) });
      finished = await trial.read().then(
        () => true,
        () => false,
      );
      if (!finished) kills++;
      // Its lease runs out.
      await service.database.query("UPDATE token_scans SET leased_until = now() WHERE treasury = $1", [
        settings.treasury,
      ]);
    }
    const last = new TokenTrial(service, settings);
    await last.read();
    expect(kills).toBeGreaterThanOrEqual(10);
    expect((await balanceOf(service, payer.key)).balance).toBe(2.5 * paid);
    expect(await last.deposits.list({ accountId: payer.id, state: "credited" }, 100, undefined)).toHaveLength(paid);
    await last.close();
    await expectCleanAudit(service);
  });

  it(`reads ${REPLAYED} transfers again from the first block and changes nothing`, async () => {
    const [treasuryOfTrial, payer] = [freshTreasury(), await openPayer(service, node)];
    await giveTokens(payer.wallet.address, BigInt(REPLAYED) * TOKEN);
    await payMany(payer.wallet, treasuryOfTrial, REPLAYED);
    await mine(CONFIRMATIONS);
    const settings = tokenSettings(node, token, treasuryOfTrial);
    const trials = [new TokenTrial(service, settings), new TokenTrial(service, settings)];
    const [first, second] = trials;
    await first?.read();
    expect((await balanceOf(service, payer.key)).balance).toBe(2.5 * REPLAYED);
    await first?.close();
    for (let round = 0; round < 2; round++) {
      await second?.deposits.rewind(0n);
      await second?.read();
    }
    await second?.close();
    expect((await balanceOf(service, payer.key)).balance).toBe(2.5 * REPLAYED);
    const [row] = await service.database.query<{ count: bigint }>(
      "SELECT count(*) FROM token_deposits WHERE treasury = $1 AND state = 'credited'",
      [settings.treasury],
    );
    expect(row?.count).toBe(BigInt(REPLAYED));
    await expectCleanAudit(service);
  });

  it("leaves the chain to another instance while that one has the lease", async () => {
    const settings = tokenSettings(node, token, freshTreasury());
    const [first, second] = [new TokenTrial(service, settings), new TokenTrial(service, settings)];
    await first.read();
    expect(await second.deposits.takeLease(0n)).toBeUndefined();
    await first.close();
    expect(await second.deposits.takeLease(0n)).toBeDefined();
    await second.close();
  });
});

/** Sends one-token payments, 50 in each block. */
async function payMany(wallet: Awaited<ReturnType<typeof openPayer>>["wallet"], to: string, count: number) {
  await node.client.setAutomine(false);
  let nonce = await node.client.getTransactionCount({ address: wallet.address });
  for (let sent = 0; sent < count; sent += 50) {
    const block = Array.from({ length: Math.min(50, count - sent) }, () =>
      node.client.writeContract({
        account: wallet,
        ...token,
        functionName: "transfer",
        args: [to, TOKEN],
        nonce: nonce++,
        gas: 100_000n,
        maxFeePerGas: 10n ** 11n,
      }),
    );
    await Promise.all(block);
    await mine(1);
  }
  await node.client.setAutomine(true);
}

/** A store whose process dies: every second step before it was done, the others after it. */
function dieAt(store: PostgresTokenDeposits, step: number): PostgresTokenDeposits {
  let passed = 0;
  const isDone = step % 2 === 1;
  const death = new Error(`Killed ${isDone ? "after" : "before"} a step (${newId()}).`);
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        const isHit = passed++ === Math.floor(step / 2);
        if (isHit && !isDone) throw death;
        const result: unknown = await value.apply(target, args);
        if (isHit) throw death;
        return result;
      };
    },
  });
}
