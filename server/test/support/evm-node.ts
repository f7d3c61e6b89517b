import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import {
  type Abi,
  type Account,
  type Chain,
  createTestClient,
  defineChain,
  type HDAccount,
  type Hex,
  http,
  type PublicActions,
  publicActions,
  type TestClient,
  type Transport,
  type WalletActions,
  walletActions,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { buildContracts } from "../../../scripts/build-contracts.mjs";

const HARDHAT = fileURLToPath(new URL("../../../node_modules/hardhat/internal/cli/bootstrap.js", import.meta.url));
const CONFIG = fileURLToPath(new URL("hardhat.config.cjs", import.meta.url));
const ARTEFACTS = new URL("../../../contracts/dist/", import.meta.url);
/** The words from which every Hardhat node makes its accounts, each with 10,000 coins for gas. */
const MNEMONIC = "test test test test test test test test test test test junk";

export type EvmClient = TestClient<"hardhat", Transport, Chain> &
  PublicActions<Transport, Chain> &
  WalletActions<Chain, undefined>;

export type ContractName =
  | "TrunklineToken"
  | "TrunklineDeposits"
  | "FeeToken"
  | "FalseToken"
  | "PriceFeed"
  | "ContractWallet";

export interface DeployedContract {
  readonly address: Hex;
  readonly abi: Abi;
}

/** A chain of its own, in a process of its own. A block is mined for each transaction unless `client.setAutomine(false)`. */
export interface EvmNode {
  readonly url: string;
  readonly chainId: number;
  /** viem's actions for reading, for sending by `account(n)`, and for tests: `mine`, `snapshot`, `revert`, `setAutomine` … */
  readonly client: EvmClient;
  /** One of the node's accounts, which has coins for gas. */
  account(index: number): HDAccount;
  deploy(name: ContractName, args?: readonly unknown[], from?: Account): Promise<DeployedContract>;
  /** Calls a function in a transaction and waits until it is mined. Returns the transaction's hash. */
  send(from: Account, contract: DeployedContract, functionName: string, args: readonly unknown[]): Promise<Hex>;
  /**
   * Runs `work` on blocks that are taken back afterwards: the chain returns to where it was and grows by `blocks` others,
   * at least as many as were lost.
   */
  reorganise(work: () => Promise<void>, blocks?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Hardhat's node on 127.0.0.1. Contracts are compiled first if they changed. */
export async function startEvmNode({ chainId = 31_337 }: { readonly chainId?: number } = {}): Promise<EvmNode> {
  await buildContracts();
  const port = await findFreePort();
  const child = spawn(
    process.execPath,
    [HARDHAT, "--config", CONFIG, "node", "--hostname", "127.0.0.1", "--port", String(port)],
    {
      env: { ...process.env, EVM_NODE_CHAIN_ID: String(chainId), HARDHAT_DISABLE_TELEMETRY_PROMPT: "true", CI: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await waitForStart(child);
  const chain = defineChain({
    id: chainId,
    name: "Test chain",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client: EvmClient = createTestClient({
    chain,
    mode: "hardhat",
    transport: http(url),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
  const accounts = new Map<number, HDAccount>();
  // To make a key of the words takes some 50 ms, and a test asks again and again.
  const account = (index: number) => {
    const made = accounts.get(index) ?? mnemonicToAccount(MNEMONIC, { addressIndex: index });
    accounts.set(index, made);
    return made;
  };
  return {
    url,
    chainId,
    client,
    account,
    deploy: (name, args = [], from = account(0)) => deploy(client, name, args, from),
    async send(from, { address, abi }, functionName, args) {
      const hash = await client.writeContract({ account: from, address, abi, functionName, args });
      await client.waitForTransactionReceipt({ hash });
      return hash;
    },
    async reorganise(work, blocks) {
      const before = await client.getBlockNumber();
      const snapshot = await client.snapshot();
      await work();
      const lost = Number((await client.getBlockNumber()) - before);
      await client.revert({ id: snapshot });
      // Another time than that of the lost block, so that the new one has another hash even if it is as empty.
      await client.increaseTime({ seconds: 7 });
      await client.mine({ blocks: Math.max(blocks ?? lost, lost) });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}

async function deploy(
  client: EvmClient,
  name: ContractName,
  args: readonly unknown[],
  account: Account,
): Promise<DeployedContract> {
  const { abi, bytecode } = await readArtefact(name);
  const hash = await client.deployContract({ account, abi, bytecode, args });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (contractAddress === null || contractAddress === undefined) throw new Error(`${name} was not deployed.`);
  return { address: contractAddress, abi };
}

async function readArtefact(name: ContractName): Promise<{ readonly abi: Abi; readonly bytecode: Hex }> {
  return JSON.parse(await readFile(new URL(`${name}.json`, ARTEFACTS), "utf8"));
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}

async function waitForStart(child: ChildProcess): Promise<void> {
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("Started HTTP")) resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", reject);
    child.once("close", () => reject(new Error(`The test chain ended before it was ready.\n${output}`)));
  });
}
