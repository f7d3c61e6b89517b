import type { Secret } from "@trunkline/core/secret.ts";
import { quantitySchema } from "./chain-values.ts";
import type { RpcNode } from "./json-rpc.ts";
import { RpcRefusal } from "./json-rpc.ts";

/** A transaction as it is sent, signed. */
export interface SignedTransaction {
  readonly sender: string;
  readonly senderNonce: bigint;
  readonly raw: string;
  readonly hash: string;
}

/** What the chain says of a transaction; `unknown`: it waits, or was never sent. */
export type TransactionState =
  | { readonly kind: "mined" | "reverted"; readonly block: bigint }
  | { readonly kind: "unknown" };

type Hex = `0x${string}`;

/** Signs and sends the transactions of one key. The library for it is loaded with the first one. */
export class TransactionSender {
  readonly #chainId: number;
  readonly #key: Secret;
  readonly #node: RpcNode;
  #tools: ReturnType<typeof loadTools> | undefined;

  constructor(chainId: number, key: Secret, node: RpcNode) {
    this.#chainId = chainId;
    this.#key = key;
    this.#node = node;
  }

  /** The address of the key, in lower case. */
  async address(): Promise<string> {
    return (await this.#loaded()).account.address.toLowerCase();
  }

  /** The number of its transactions that the chain knows, with those that wait. */
  async nonce(): Promise<bigint> {
    return quantitySchema.parse(await this.#node.call("eth_getTransactionCount", [await this.address(), "pending"]));
  }

  /** Signs a call of a contract. Nothing is sent. Throws where the call would fail. */
  async sign(to: string, data: string, nonce: bigint): Promise<SignedTransaction> {
    const { client, account, keccak256 } = await this.#loaded();
    const call = { account, to: to as Hex, data: data as Hex, nonce: Number(nonce), type: "eip1559" as const };
    const request = await client.prepareTransactionRequest(call);
    const raw = await account.signTransaction({ ...request, type: "eip1559" });
    return { sender: account.address.toLowerCase(), senderNonce: nonce, raw, hash: keccak256(raw) };
  }

  /** Signs a transfer of a token. */
  async signTransfer(token: string, to: string, units: bigint, nonce: bigint): Promise<SignedTransaction> {
    const { encodeTransfer } = await this.#loaded();
    return this.sign(token, encodeTransfer(to as Hex, units), nonce);
  }

  /** Sends a signed transaction. One that the node has already is no mistake. */
  async send(raw: string): Promise<void> {
    try {
      await this.#node.call("eth_sendRawTransaction", [raw]);
    } catch (error) {
      if (error instanceof RpcRefusal && /already known|known transaction|already imported/i.test(error.message))
        return;
      throw error;
    }
  }

  async state(hash: string): Promise<TransactionState> {
    const receipt = await this.#node.call("eth_getTransactionReceipt", [hash]);
    if (typeof receipt !== "object" || receipt === null || !("status" in receipt) || !("blockNumber" in receipt))
      return { kind: "unknown" };
    const block = quantitySchema.parse(receipt.blockNumber);
    return { kind: receipt.status === "0x1" ? "mined" : "reverted", block };
  }

  #loaded() {
    this.#tools ??= loadTools(this.#chainId, this.#key, this.#node);
    return this.#tools;
  }
}

async function loadTools(chainId: number, key: Secret, node: RpcNode) {
  const [viem, { privateKeyToAccount }] = await Promise.all([import("viem"), import("viem/accounts")]);
  const chain = viem.defineChain({
    id: chainId,
    name: `eip155:${chainId}`,
    nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const request = ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    node.call(method, params ?? []);
  const client = viem.createPublicClient({ chain, transport: viem.custom({ request }, { retryCount: 0 }) });
  const abi = viem.parseAbi(["function transfer(address, uint256) returns (bool)"]);
  return {
    client,
    account: privateKeyToAccount(key.reveal() as Hex),
    keccak256: viem.keccak256,
    encodeTransfer: (to: Hex, units: bigint) =>
      viem.encodeFunctionData({ abi, functionName: "transfer", args: [to, units] }),
  };
}
