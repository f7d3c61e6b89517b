import { newId } from "@trunkline/core/id.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RpcAway, type RpcNode, RpcRefusal } from "../../src/payments/token/json-rpc.ts";
import type { TokenSettings } from "../../src/payments/token/token-settings.ts";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type DeployedContract, type EvmNode, startEvmNode } from "../support/evm-node.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import {
  CONFIRMATIONS,
  deployToken,
  expectCleanAudit,
  freshTreasury,
  openPayer,
  TokenTrial,
  tokenSettings,
} from "../support/token-trial.ts";

const TOKEN = 10n ** 18n;

let node: EvmNode;
let service: StartedService;
let token: DeployedContract;
let payer: Awaited<ReturnType<typeof openPayer>>;

beforeAll(async () => {
  node = await startEvmNode();
  token = await deployToken(node);
  const settings = tokenSettings(node, token, freshTreasury());
  service = await startService((config) => ({ ...config, token: settings }));
  await service.services.token?.watcher.stop();
  payer = await openPayer(service, node);
  await send(token, payer.wallet.address, 1_000n * TOKEN);
});

afterAll(async () => {
  await expectCleanAudit(service);
  await service.stop();
  await node.stop();
});

const send = (contract: DeployedContract, to: string, units: bigint, from = node.account(0)) =>
  node.send(from, contract, "transfer", [to, units]);
const mine = (blocks = CONFIRMATIONS) => node.client.mine({ blocks });
const balance = async ({ key }: Pick<Customer, "key"> = payer) => (await balanceOf(service, key)).balance;

/** Pays one token to a new treasury, and waits until it is final. */
async function payOne(change: Partial<TokenSettings> = {}, contract = token): Promise<TokenSettings> {
  const settings = tokenSettings(node, contract, freshTreasury(), {
    startBlock: await node.client.getBlockNumber(),
    ...change,
  });
  await node.send(payer.wallet, contract, "transfer", [settings.treasury, TOKEN]);
  await mine();
  return settings;
}

/** Every deposit to a treasury, by what was recorded of it. */
const recorded = ({ treasury }: TokenSettings) =>
  service.database.query<{ id: string; state: string; received: string; amount: bigint | null; note: string | null }>(
    "SELECT id, state, received, amount, note FROM token_deposits WHERE treasury = $1 ORDER BY block_number, log_index",
    [treasury],
  );

describe("a token that keeps a fee", () => {
  it("is credited by what arrives, also when the treasury pays in the same block", async () => {
    const fee = await node.deploy("FeeToken", [10n ** 30n]);
    const treasury = node.account(5);
    const settings = tokenSettings(node, fee, treasury.address);
    await send(fee, payer.wallet.address, 100n * TOKEN);
    await send(fee, treasury.address, 10n * TOKEN);
    const before = await balance();
    await node.client.setAutomine(false);
    const call = { ...fee, functionName: "transfer", gas: 200_000n } as const;
    await node.client.writeContract({ ...call, account: payer.wallet, args: [treasury.address, 4n * TOKEN] });
    await node.client.writeContract({ ...call, account: treasury, args: [node.account(6).address, 2n * TOKEN] });
    await node.client.mine({ blocks: 1 });
    await node.client.setAutomine(true);
    await mine();
    const trial = new TokenTrial(service, settings);
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([
      { state: "unclaimed", received: String(9n * TOKEN) },
      { state: "credited", received: String((36n * TOKEN) / 10n), note: "Tokens announced: 4; arrived: 3.6." },
    ]);
    expect((await balance()) - before).toBe(9);
  });
});

describe("a token that moves nothing", () => {
  it("is recorded and not credited", async () => {
    const settings = await payOne({}, await node.deploy("FalseToken"));
    const trial = new TokenTrial(service, settings);
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([
      { state: "empty", amount: 0n, note: "Tokens announced: 1; arrived: 0." },
    ]);
  });
});

describe("several nodes", () => {
  const twice = { rpcUrls: [] as readonly Secret[] };
  beforeAll(() => {
    twice.rpcUrls = [new Secret(node.url), new Secret(node.url), new Secret(node.url)];
  });

  /** The last node leaves out events, until it is told to be honest. */
  const liar = (isHonest: () => boolean) => (rpc: RpcNode, index: number) => ({
    ...rpc,
    call: async (method: string, params: readonly unknown[]) =>
      index === 2 && method === "eth_getLogs" && !isHonest() ? [] : rpc.call(method, params),
  });

  it("that disagree credit nothing until they agree", async () => {
    const settings = await payOne(twice);
    const before = await balance();
    let isHonest = false;
    const trial = new TokenTrial(service, settings, { wrapNode: liar(() => isHonest) });
    await expect(trial.read()).rejects.toThrow(/disagree on the transfers of blocks/);
    await expect(trial.read()).rejects.toThrow(/disagree/);
    expect(await recorded(settings)).toEqual([]);
    isHonest = true;
    await trial.read();
    await trial.close();
    expect((await balance()) - before).toBe(2.5);
  });

  it("go on while more than half of them answer, and wait while fewer do", async () => {
    const settings = await payOne(twice);
    let away = 2;
    const trial = new TokenTrial(service, settings, {
      wrapNode: (rpc, index) => ({
        ...rpc,
        call: (method, params) => (index < away ? Promise.reject(new RpcAway("away")) : rpc.call(method, params)),
      }),
    });
    await expect(trial.read()).rejects.toThrow(/Too few nodes/);
    away = 1;
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([{ state: "credited" }]);
  });
});

describe("a single node", () => {
  it("that leaves out an event is found out by the treasury's balance", async () => {
    const settings = await payOne();
    let hides = true;
    const trial = new TokenTrial(service, settings, {
      wrapNode: (rpc) => ({
        ...rpc,
        call: async (method, params) => (method === "eth_getLogs" && hides ? [] : rpc.call(method, params)),
      }),
    });
    await expect(trial.read()).rejects.toThrow(/that no event explains/);
    hides = false;
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([{ state: "credited", amount: 2_500_000_000n }]);
  });

  it("that never shows an event leaves what arrived unexplained, which a later reading explains", async () => {
    const settings = await payOne();
    let hides = true;
    const trial = new TokenTrial(service, settings, {
      wrapNode: (rpc) => ({
        ...rpc,
        call: async (method, params) => (method === "eth_getLogs" && hides ? [] : rpc.call(method, params)),
      }),
    });
    const readPatiently = async () => {
      for (let tries = 0; tries < 20; tries++) await trial.read().catch(() => undefined);
      return (await trial.deposits.state())?.unexplained;
    };
    expect(await readPatiently()).toBe(TOKEN);
    // Reading the same blocks again counts nothing twice, also from the middle of them.
    await trial.deposits.rewind(settings.startBlock + 1n);
    expect(await readPatiently()).toBe(TOKEN);
    hides = false;
    await trial.deposits.rewind(settings.startBlock + 1n);
    expect(await readPatiently()).toBe(0n);
    await trial.close();
    expect(await recorded(settings)).toMatchObject([{ state: "credited", amount: 2_500_000_000n }]);
  });

  it("that answers for few blocks at a time is asked for fewer", async () => {
    const settings = await payOne();
    await mine(40);
    const trial = new TokenTrial(service, settings, {
      wrapNode: (rpc) => ({
        ...rpc,
        call: async (method, params) => {
          const [range] = params as [{ fromBlock: string; toBlock: string }];
          if (method === "eth_getLogs" && BigInt(range.toBlock) - BigInt(range.fromBlock) > 8n)
            throw new RpcRefusal("block range is too large");
          return rpc.call(method, params);
        },
      }),
    });
    for (let tries = 0; tries < 30; tries++) await trial.read().catch(() => undefined);
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([{ state: "credited" }]);
  });

  it("that keeps no old states leaves what arrived to the operator", async () => {
    const settings = await payOne();
    const trial = new TokenTrial(service, settings, {
      wrapNode: (rpc) => ({
        ...rpc,
        call: async (method, params) => {
          if (method === "eth_call" && params[1] !== "latest") throw new RpcRefusal("missing trie node 0x00");
          return rpc.call(method, params);
        },
      }),
    });
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([
      { state: "review", amount: null, note: expect.stringContaining("no state of its block") },
    ]);
  });

  it("whose chain replaces final blocks is read again, and what moved to another block waits for the operator", async () => {
    const settings = tokenSettings(node, token, freshTreasury());
    const before = await balance();
    const request = await node.client.prepareTransactionRequest({
      account: payer.wallet,
      to: token.address,
      data: encodeFunctionData({ abi: token.abi, functionName: "transfer", args: [settings.treasury, TOKEN] }),
    });
    const serializedTransaction = await node.client.signTransaction(request);
    const snapshot = await node.client.snapshot();
    await node.client.sendRawTransaction({ serializedTransaction });
    await mine();
    const trial = new TokenTrial(service, settings);
    await trial.read();
    expect((await balance()) - before).toBe(2.5);

    await node.client.revert({ id: snapshot });
    await node.client.increaseTime({ seconds: 99 });
    // The very same transaction comes back in another block, behind another's event.
    await node.client.setAutomine(false);
    await node.client.writeContract({
      ...token,
      account: node.account(0),
      functionName: "transfer",
      args: [node.account(6).address, 1n],
      maxPriorityFeePerGas: 10n ** 11n,
      maxFeePerGas: 10n ** 12n,
    });
    await node.client.sendRawTransaction({ serializedTransaction });
    await mine(2 * CONFIRMATIONS);
    await node.client.setAutomine(true);
    await expect(trial.read()).rejects.toThrow(/has replaced block/);
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([
      { state: "credited" },
      { state: "review", note: "Its transaction was recorded in another block before." },
    ]);
    expect((await balance()) - before).toBe(2.5);
  });
});

describe("a price source", () => {
  it("sets the rate of each payment in its own block, and a stale price waits for the operator", async () => {
    const feed = await node.deploy("PriceFeed", [8, 312_500_000n]);
    const settings = await payOne({
      rate: { kind: "feed", address: feed.address.toLowerCase(), maxAgeSeconds: 3_600 },
    });
    const { timestamp } = await node.client.getBlock();
    await node.send(node.account(0), feed, "set", [50_000_000n, timestamp]);
    await node.send(payer.wallet, token, "transfer", [settings.treasury, TOKEN]);
    await node.client.increaseTime({ seconds: 7_200 });
    await node.send(payer.wallet, token, "transfer", [settings.treasury, TOKEN]);
    await mine();
    const before = await balance();
    const trial = new TokenTrial(service, settings);
    await trial.read();
    await trial.close();
    expect(await recorded(settings)).toMatchObject([
      { state: "credited", amount: 3_125_000_000n },
      { state: "credited", amount: 500_000_000n },
      { state: "review", amount: null, note: "The price source had no fresh price in its block." },
    ]);
    expect((await balance()) - before).toBe(3.625);
  });
});

describe("the deposit contract", () => {
  it("credits the account of the reference, whoever pays", async () => {
    const treasury = freshTreasury();
    const deposits = await node.deploy("TrunklineDeposits", [token.address, treasury]);
    const settings = tokenSettings(node, token, treasury, { depositContract: deposits.address.toLowerCase() });
    const customer = await openCustomer(service, 0, { scopes: ["read", "billing"] });
    const { reference } = (await service.call("GET", "/v1/billing/token", undefined, customer)).json;
    // A plain transfer in between belongs to the wallet's own account.
    await node.send(payer.wallet, token, "approve", [deposits.address, 10n * TOKEN]);
    await node.send(payer.wallet, deposits, "deposit", [2n * TOKEN, reference]);
    await mine();
    const before = await balance();
    const trial = new TokenTrial(service, settings);
    await trial.read();
    await trial.close();
    expect(await balance(customer)).toBe(5);
    expect(await balance()).toBe(before);
  });
});

describe("the operator", () => {
  it("credits what waits, once, and it is in both logs", async () => {
    const settings = await payOne();
    await service.database.query("UPDATE wallets SET address = $2 WHERE address = $1", [
      payer.wallet.address.toLowerCase(),
      `0x${"9".repeat(40)}`,
    ]);
    const trial = new TokenTrial(service, settings);
    await trial.read();
    await trial.close();
    await service.database.query("UPDATE wallets SET address = $2 WHERE address = $1", [
      `0x${"9".repeat(40)}`,
      payer.wallet.address.toLowerCase(),
    ]);
    const [deposit] = await recorded(settings);
    const path = `/v1/admin/token/deposits/${deposit?.id}/credit`;
    const customer = await openCustomer(service, 0, { scopes: ["read", "billing"] });

    expect((await service.call("POST", path, { account_id: newId() })).status).toBe(404);
    expect((await service.call("POST", path, { account_id: customer.id }, customer)).status).toBe(403);
    const unknown = path.replace(deposit?.id ?? "", newId());
    expect((await service.call("POST", unknown, { account_id: customer.id })).status).toBe(404);
    const [one, other] = await Promise.all([1, 2].map(() => service.call("POST", path, { account_id: customer.id })));
    expect(new Set([one?.status, other?.status])).toEqual(new Set([200, 409]));
    expect(await balance(customer)).toBe(2.5);
    const { data } = (await service.call("GET", "/v1/admin/token/deposits?state=credited")).json;
    expect(data).toContainEqual(expect.objectContaining({ id: deposit?.id, account_id: customer.id, credits: 2.5 }));
  });

  it("sees the treasury, and may have the chain read again", async () => {
    const shown = await service.call("GET", "/v1/admin/token");
    expect(shown.status, shown.text).toBe(200);
    expect(shown.json).toMatchObject({ symbol: "TRK", balance: "0", rate: { credits_per_token: "2.5" } });
    await service.services.token?.watcher.pass();
    expect((await service.call("POST", "/v1/admin/token/rescan", { from_block: 7 })).status).toBe(202);
    expect((await service.call("GET", "/v1/admin/token")).json.next_block).toBe(7);
    expect((await service.call("POST", "/v1/admin/token/rescan", { from_block: -1 })).status).toBe(400);
    // A block that was not read yet would skip all payments before it.
    expect((await service.call("POST", "/v1/admin/token/rescan", { from_block: 8 })).status).toBe(400);
    expect((await service.call("GET", "/v1/admin/token")).json.next_block).toBe(7);
  });
});

describe("a start", () => {
  const startWith = (change: Partial<TokenSettings>) =>
    startService((config) => ({ ...config, token: tokenSettings(node, token, freshTreasury(), change) }));

  it.each([
    ["another chain id", () => ({ chainId: 1 }), /TRUNKLINE_TOKEN_CHAIN_ID is 1, but the chain .* has the id 31337/],
    ["no contract", () => ({ contract: freshTreasury().toLowerCase() }), /TRUNKLINE_TOKEN_CONTRACT is no token/],
    [
      "another's deposit contract",
      () => ({ depositContract: token.address.toLowerCase() }),
      /TRUNKLINE_TOKEN_DEPOSIT_CONTRACT is none for this token and treasury/,
    ],
  ])("with %s is refused by a sentence", async (_what, change, sentence) => {
    await expect(startWith(change())).rejects.toThrow(sentence);
  });

  it("without the settings shows nothing of it", async () => {
    const plain = await startService();
    for (const path of ["/v1/billing/token", "/v1/billing/token/deposits", "/v1/billing/wallets", "/v1/admin/token"])
      expect((await plain.call("GET", path)).status, path).toBe(404);
    expect((await plain.call("GET", "/v1/auth/features")).json.wallet).toBe(false);
    const { data } = (await plain.call("GET", "/v1/billing/methods")).json;
    expect(data).toContainEqual(expect.objectContaining({ kind: "token", available: false }));
    await plain.stop();
  });
});
