import { addressOf, logsSchema, quantitySchema, TRANSFER_TOPIC, toQuantity, toWord } from "../token/chain-values.ts";
import type { RpcNode } from "../token/json-rpc.ts";
import { type SignedTransaction, TransactionSender } from "../token/transaction-sender.ts";
import type { X402Settings } from "./x402-settings.ts";
import type { Authorisation } from "./x402-store.ts";

/** The terms of a payment, in the standard's form. */
export interface PaymentTerms {
  readonly scheme: "exact";
  readonly network: `eip155:${number}`;
  readonly asset: string;
  /** In the asset's units. */
  readonly amount: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
}

export interface AssetFacts {
  readonly decimals: number;
  readonly name: string;
}

/**
 * What has become of an authorisation on the chain. `spoiled`: its nonce was cancelled, or used for a transfer to another
 * than us. `unclear`: the nonce is gone, and the node does not show yet by what.
 */
export type AuthorisationUse = "unused" | "paid" | "spoiled" | "unclear";

/** keccak256 of `AuthorizationUsed(address,bytes32)` and of `AuthorizationCanceled(address,bytes32)`. */
const USED_TOPIC = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const CANCELED_TOPIC = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
/** How many blocks are searched at once for the use of an authorisation. */
const SEARCH_BLOCKS = 2_000n;
/** Of several nodes behind one address, one may be behind the other by this much. */
const NODE_LAG_BLOCKS = 64n;

/** The chain on which payments are made. Its libraries are loaded with the first payment. */
export class X402Chain {
  readonly #settings: X402Settings;
  readonly #node: RpcNode;
  /** Sends the transfers, and pays for their gas. */
  readonly sender: TransactionSender;
  #tools: Promise<ChainTools> | undefined;
  #facts: Promise<AssetFacts> | undefined;

  constructor(settings: X402Settings, node: RpcNode) {
    this.#settings = settings;
    this.#node = node;
    this.sender = new TransactionSender(settings.chainId, settings.key, node);
  }

  /** The asset's name and decimals, by its contract. */
  facts(): Promise<AssetFacts> {
    this.#facts ??= this.#loaded()
      .then(async ({ read }) => ({
        decimals: Number(await read("decimals", [])),
        name: String(await read("name", [])),
      }))
      .catch((error: unknown) => {
        this.#facts = undefined;
        throw error;
      });
    return this.#facts;
  }

  /** Why a payment is not valid; undefined: it is signed by its payer, not used, in time and covered. */
  async findMistake(terms: PaymentTerms, { signature, ...authorization }: Authorisation): Promise<string | undefined> {
    const { scheme } = await this.#loaded();
    const requirements = { ...terms, amount: authorization.value, extra: { ...terms.extra } };
    const payload = { x402Version: 2, accepted: requirements, payload: { signature, authorization } };
    const { isValid, invalidReason } = await scheme.verify(payload, requirements);
    return isValid ? undefined : (invalidReason ?? "invalid_payload");
  }

  /** Signs the transaction that makes the payment. Nothing is sent. */
  async signTransfer(authorisation: Authorisation, nonce: bigint): Promise<SignedTransaction> {
    const { encodeTransfer } = await this.#loaded();
    return this.sender.sign(this.#settings.asset, encodeTransfer(authorisation), nonce);
  }

  /** The number of the newest block. */
  async head(): Promise<bigint> {
    return quantitySchema.parse(await this.#node.call("eth_blockNumber", []));
  }

  /**
   * What has become of an authorisation since a block. That its nonce is gone does not say that we were paid: the wallet can
   * cancel it, or use the same nonce for another transfer.
   */
  async useOf({ from, to, value, nonce }: Authorisation, since: bigint): Promise<AuthorisationUse> {
    const { read } = await this.#loaded();
    if ((await read("authorizationState", [from, nonce])) !== true) return "unused";
    const topics = [[USED_TOPIC, CANCELED_TOPIC], `0x${toWord(from)}`, nonce.toLowerCase()];
    const head = await this.head();
    let first = since > NODE_LAG_BLOCKS ? since - NODE_LAG_BLOCKS : 0n;
    for (; first <= head; first += SEARCH_BLOCKS) {
      const last = first + SEARCH_BLOCKS - 1n < head ? first + SEARCH_BLOCKS - 1n : head;
      const range = { fromBlock: toQuantity(first), toBlock: toQuantity(last) };
      const filter = { address: this.#settings.asset, topics, ...range };
      const [use] = logsSchema.parse(await this.#node.call("eth_getLogs", [filter]));
      if (use === undefined) continue;
      if (use.topics[0] !== USED_TOPIC) return "spoiled";
      const blockNumber = toQuantity(use.blockNumber);
      const transfers = { address: this.#settings.asset, fromBlock: blockNumber, toBlock: blockNumber };
      const moved = logsSchema.parse(
        await this.#node.call("eth_getLogs", [{ ...transfers, topics: [TRANSFER_TOPIC, `0x${toWord(from)}`] }]),
      );
      // The token announces the transfer right after the use. Any other transfer of the same transaction is another payment.
      const own = moved.find(
        ({ transactionHash, logIndex }) => transactionHash === use.transactionHash && logIndex === use.logIndex + 1,
      );
      if (own === undefined) return "spoiled";
      const isOurs = addressOf(own.topics[2]) === to.toLowerCase() && BigInt(own.data) === BigInt(value);
      return isOurs ? "paid" : "spoiled";
    }
    return "unclear";
  }

  async balanceOf(address: string): Promise<bigint> {
    const { read } = await this.#loaded();
    return BigInt(String(await read("balanceOf", [address])));
  }

  #loaded(): Promise<ChainTools> {
    this.#tools ??= loadTools(this.#settings, this.#node);
    return this.#tools;
  }
}

type ChainTools = Awaited<ReturnType<typeof loadTools>>;

const hex = (text: string) => text as `0x${string}`;

async function loadTools({ chainId, asset, key }: X402Settings, node: RpcNode) {
  const [viem, { privateKeyToAccount }, { ExactEvmScheme }] = await Promise.all([
    import("viem"),
    import("viem/accounts"),
    import("@x402/evm/exact/facilitator"),
  ]);
  const chain = viem.defineChain({
    id: chainId,
    name: `eip155:${chainId}`,
    nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const transport = viem.custom(
    {
      request: ({ method, params }: { method: string; params?: readonly unknown[] }) => node.call(method, params ?? []),
    },
    { retryCount: 0 },
  );
  const client = viem.createPublicClient({ chain, transport });
  const account = privateKeyToAccount(hex(key.reveal()));
  const abi = viem.parseAbi([
    "function name() view returns (string)",
    "function decimals() view returns (uint8)",
    "function balanceOf(address) view returns (uint256)",
    "function authorizationState(address, bytes32) view returns (bool)",
    "function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)",
  ]);
  // Contract wallets sign at any length.
  const bytesAbi = viem.parseAbi([
    "function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)",
  ]);
  const neverSends = () => Promise.reject(new Error("Payments are sent by the settlement alone."));
  const scheme = new ExactEvmScheme({
    getAddresses: () => [account.address],
    readContract: (call) => client.readContract({ ...call, account: account.address } as never),
    verifyTypedData: (call) => client.verifyTypedData(call as never),
    getCode: (call) => client.getCode(call),
    writeContract: neverSends,
    sendTransaction: neverSends,
    waitForTransactionReceipt: neverSends,
  });
  return {
    scheme,
    read: (
      functionName: "name" | "decimals" | "balanceOf" | "authorizationState",
      args: readonly unknown[],
    ): Promise<unknown> => client.readContract({ address: hex(asset), abi, functionName, args } as never),
    encodeTransfer: ({ signature, ...authorisation }: Authorisation): `0x${string}` => {
      const args = [
        hex(authorisation.from),
        hex(authorisation.to),
        BigInt(authorisation.value),
        BigInt(authorisation.validAfter),
        BigInt(authorisation.validBefore),
        hex(authorisation.nonce),
      ] as const;
      const functionName = "transferWithAuthorization";
      if (signature.length !== ECDSA_DIGITS + 2)
        return viem.encodeFunctionData({ abi: bytesAbi, functionName, args: [...args, hex(signature)] });
      const { r, s, v, yParity } = viem.parseSignature(hex(signature));
      return viem.encodeFunctionData({ abi, functionName, args: [...args, Number(v ?? BigInt(yParity + 27)), r, s] });
    },
  };
}

const ECDSA_DIGITS = 130;
