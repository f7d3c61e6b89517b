import { newId } from "@trunkline/core/id.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { createDialer, type Dialer } from "@trunkline/providers/dialer/dialer.ts";
import type { Account, LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { createRpcNode, type RpcNode } from "../../src/payments/token/json-rpc.ts";
import { TokenChain } from "../../src/payments/token/token-chain.ts";
import type { TokenSettings } from "../../src/payments/token/token-settings.ts";
import { TokenWatcher } from "../../src/payments/token/token-watcher.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { PostgresTokenDeposits } from "../../src/store/payments/token-deposits.ts";
import { type Customer, openCustomer } from "./customer.ts";
import type { DeployedContract, EvmNode } from "./evm-node.ts";
import type { StartedService } from "./started-service.ts";

export const CONFIRMATIONS = 3;
/** Two and a half credits per token. */
const RATE = { numerator: 25n, decimals: 1 };

/** Settings for a token on a test's chain. */
export function tokenSettings(
  node: Pick<EvmNode, "url" | "chainId">,
  token: Pick<DeployedContract, "address">,
  treasury: string,
  change: Partial<TokenSettings> = {},
): TokenSettings {
  return {
    rpcUrls: [new Secret(node.url)],
    chainId: node.chainId,
    contract: token.address.toLowerCase(),
    treasury: treasury.toLowerCase(),
    depositContract: undefined,
    rate: { kind: "fixed", rate: RATE },
    confirmations: CONFIRMATIONS,
    startBlock: 0n,
    ...change,
  };
}

/** Settings for a chain that is away: wallets can be linked all the same. */
export function absentToken(): TokenSettings {
  const away = { url: "http://127.0.0.1:9", chainId: 31_337 };
  return tokenSettings(away, { address: `0x${"11".repeat(20)}` }, `0x${"22".repeat(20)}`);
}

/** An address that nobody has used. */
export function freshTreasury(): `0x${string}` {
  return privateKeyToAccount(generatePrivateKey()).address;
}

/** A watcher of one token and one treasury, on the store of a running service. It reads when it is told to. */
export class TokenTrial {
  readonly deposits: PostgresTokenDeposits;
  readonly watcher: TokenWatcher;
  readonly credited: string[] = [];
  readonly #dialer: Dialer = createDialer();

  constructor(
    service: StartedService,
    settings: TokenSettings,
    {
      wrapNode = (rpc) => rpc,
      wrapStore = (store) => store,
      instanceId = newId(),
    }: {
      readonly wrapNode?: (rpc: RpcNode, index: number) => RpcNode;
      readonly wrapStore?: (store: PostgresTokenDeposits) => PostgresTokenDeposits;
      readonly instanceId?: string;
    } = {},
  ) {
    const { signal } = new AbortController();
    const nodes = settings.rpcUrls.map((url, index) => wrapNode(createRpcNode(this.#dialer, url, signal), index));
    this.deposits = wrapStore(new PostgresTokenDeposits(database(service), instanceId, settings));
    this.watcher = new TokenWatcher({
      chain: new TokenChain(settings, nodes),
      store: this.deposits,
      treasury: settings.treasury,
      startBlock: settings.startBlock,
      onCredit: (accountId) => this.credited.push(accountId),
      onError: () => undefined,
    });
  }

  /** Reads until nothing is left. */
  async read(): Promise<void> {
    while (await this.watcher.pass());
  }

  async close(): Promise<void> {
    await this.deposits.releaseLease();
    await this.#dialer.close();
  }
}

function database(service: StartedService) {
  return service.database;
}

/** A customer with a wallet of its own that is linked and has gas. */
export async function openPayer(
  service: StartedService,
  node: EvmNode,
  wallet: LocalAccount = privateKeyToAccount(generatePrivateKey()),
): Promise<Customer & { readonly wallet: LocalAccount }> {
  const customer = await openCustomer(service, 0, { scopes: ["inference", "read", "billing"] });
  await node.client.setBalance({ address: wallet.address, value: 10n ** 20n });
  await linkWallet(service, customer, wallet.address, wallet);
  return { ...customer, wallet };
}

/** Links a wallet to a customer by a message that `signer` signs. */
export async function linkWallet(
  service: StartedService,
  { key }: Pick<Customer, "key">,
  address: string,
  signer: LocalAccount,
): Promise<void> {
  const challenge = await service.call("POST", "/v1/billing/wallets/challenge", { address }, { key });
  expect(challenge.status, challenge.text).toBe(200);
  const { message } = challenge.json;
  const signature = await signer.signMessage({ message });
  const linked = await service.call("POST", "/v1/billing/wallets", { message, signature }, { key });
  expect(linked.status, linked.text).toBe(201);
}

/** Deploys the token and gives all of it to an account of the node. */
export function deployToken(
  node: EvmNode,
  {
    decimals = 18,
    supply = 10n ** 30n,
    holder = node.account(0),
  }: { decimals?: number; supply?: bigint; holder?: Account } = {},
): Promise<DeployedContract> {
  return node.deploy("TrunklineToken", ["Trunk", "TRK", decimals, supply, holder.address]);
}

/** Fails with the ledger's first finding, if there is one. */
export async function expectCleanAudit(service: StartedService): Promise<void> {
  const { findings } = await auditLedger(service.database);
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
}
