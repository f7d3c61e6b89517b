import { StartupError } from "@trunkline/core/fault.ts";
import { readAgreed, readFromMajority } from "./agreement.ts";
import {
  addressOf,
  blockSchema,
  bytesSchema,
  type ChainLog,
  DEPOSITED_TOPIC,
  logsSchema,
  quantitySchema,
  readText,
  readWords,
  SELECTORS,
  TRANSFER_TOPIC,
  toQuantity,
  toSigned,
  toWord,
} from "./chain-values.ts";
import { RpcAway, type RpcNode, RpcRefusal } from "./json-rpc.ts";
import type { MovedUnits } from "./received-units.ts";
import type { TokenRate } from "./token-rate.ts";
import type { TokenSettings } from "./token-settings.ts";

export interface TokenFacts {
  readonly symbol: string;
  readonly decimals: number;
}

/** A transfer of the token to the treasury. */
export interface TokenTransfer extends MovedUnits {
  readonly logIndex: number;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly sender: string;
  /** Of the account that the deposit contract was told. */
  readonly reference: string | undefined;
}

/** All that moved to and from the treasury in a range of blocks. */
export interface TreasuryMoves {
  readonly incoming: readonly TokenTransfer[];
  readonly outgoing: readonly (MovedUnits & { readonly blockNumber: bigint })[];
}

export type BlockTag = bigint | "latest";

/** Nodes that keep no old states say so in words alone. */
const NO_STATE =
  /missing trie node|pruned|archive|histor|state .*(?:available|found)|header not found|too old|distance/i;
const TOKEN_DECIMALS_MAX = 77;

/** Reads a chain by several nodes, and believes only what all of them say. */
export class TokenChain {
  readonly #settings: TokenSettings;
  readonly #nodes: readonly RpcNode[];
  #facts: TokenFacts | undefined;

  constructor(settings: TokenSettings, nodes: readonly RpcNode[]) {
    this.#settings = settings;
    this.#nodes = nodes;
  }

  /** The token's symbol and decimals. The first time it checks that the settings fit the chain; throws StartupError. */
  async facts(): Promise<TokenFacts> {
    this.#facts ??= await this.#check();
    return this.#facts;
  }

  async #check(): Promise<TokenFacts> {
    const { chainId, contract, depositContract, treasury } = this.#settings;
    const ids = await readFromMajority(this.#nodes, async (node) =>
      Number(quantitySchema.parse(await node.call("eth_chainId", []))),
    );
    const other = ids.find((id) => id !== chainId);
    if (other !== undefined) {
      throw new StartupError(
        `TRUNKLINE_TOKEN_CHAIN_ID is ${chainId}, but the chain at TRUNKLINE_TOKEN_RPC_URL has the id ${other}. Correct one of them.`,
      );
    }
    const [decimals, symbol] = await Promise.all([
      this.#callAgreed(contract, SELECTORS.decimals).catch(refusedAs("0x")),
      this.#callAgreed(contract, SELECTORS.symbol).catch(refusedAs("0x")),
    ]);
    const [count] = readWords(decimals);
    if (count === undefined || count > TOKEN_DECIMALS_MAX) {
      throw new StartupError(
        `TRUNKLINE_TOKEN_CONTRACT is no token: there is no contract with decimals() at ${contract} on chain ${chainId}.`,
      );
    }
    if (depositContract !== undefined) {
      const answers = await Promise.all(
        [SELECTORS.token, SELECTORS.treasury].map((call) =>
          this.#callAgreed(depositContract, call).catch(refusedAs("0x")),
        ),
      );
      if (answers[0] !== `0x${toWord(contract)}` || answers[1] !== `0x${toWord(treasury)}`) {
        throw new StartupError(
          `TRUNKLINE_TOKEN_DEPOSIT_CONTRACT is none for this token and treasury: the contract at ${depositContract} says otherwise.`,
        );
      }
    }
    return { decimals: Number(count), symbol: readText(symbol) || "TOKEN" };
  }

  /** The newest block that any node has, and the newest that is final for all that answer. */
  async heads(): Promise<{ readonly head: bigint; readonly final: bigint }> {
    const { confirmations } = this.#settings;
    const heads = await readFromMajority(this.#nodes, async (node) => {
      const head = quantitySchema.parse(await node.call("eth_blockNumber", []));
      if (confirmations !== undefined) return { head, final: head - BigInt(confirmations) + 1n };
      const block = blockSchema.nullable().parse(await node.call("eth_getBlockByNumber", ["finalized", false]));
      return { head, final: block?.number ?? -1n };
    });
    return {
      head: heads.reduce((most, { head }) => (head > most ? head : most), 0n),
      final: heads.reduce((least, { final }) => (final < least ? final : least), heads[0]?.final ?? -1n),
    };
  }

  blockHash(number: bigint): Promise<string> {
    return readAgreed(this.#nodes, `block ${number}`, async (node) => (await readBlock(node, number)).hash);
  }

  /** What moved in final blocks, both included. */
  moves(from: bigint, to: bigint): Promise<TreasuryMoves> {
    return readAgreed(this.#nodes, `the transfers of blocks ${from} to ${to}`, (node) => this.#moves(node, from, to));
  }

  /** What moved in blocks that may still change, by the first node that knows. */
  async recentMoves(from: bigint, to: bigint): Promise<readonly TokenTransfer[]> {
    for (const node of this.#nodes) {
      const moves = await this.#moves(node, from, to).catch(() => undefined);
      if (moves !== undefined) return moves.incoming;
    }
    throw new RpcAway("No node of the chain answers.");
  }

  async #moves(node: RpcNode, from: bigint, to: bigint): Promise<TreasuryMoves> {
    const { contract, treasury, depositContract } = this.#settings;
    const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const treasuryTopic = `0x${toWord(treasury)}`;
    const read = async (address: string, topics: readonly (string | null)[]) => {
      const logs = logsSchema.parse(await node.call("eth_getLogs", [{ ...range, address, topics }]));
      return logs.filter(({ removed, blockNumber }) => removed !== true && blockNumber >= from && blockNumber <= to);
    };
    const [into, outOf, deposits] = await Promise.all([
      read(contract, [TRANSFER_TOPIC, null, treasuryTopic]),
      read(contract, [TRANSFER_TOPIC, treasuryTopic]),
      depositContract === undefined ? [] : read(depositContract, [DEPOSITED_TOPIC]),
    ]);
    const references = matchReferences(into, deposits);
    const incoming = into.flatMap((log) => {
      const sender = addressOf(log.topics[1]);
      const units = unitsOf(log);
      if (sender === undefined || units === undefined) return [];
      const { transactionHash: txHash, logIndex, blockNumber, blockHash } = log;
      return [{ txHash, logIndex, blockNumber, blockHash, sender, units, reference: references.get(log) }];
    });
    const outgoing = outOf.flatMap((log) => {
      const units = unitsOf(log);
      return units === undefined ? [] : [{ txHash: log.transactionHash, blockNumber: log.blockNumber, units }];
    });
    return { incoming: incoming.toSorted(byPosition), outgoing };
  }

  /** The treasury's tokens after a block; undefined where the nodes keep no state of it. */
  async treasuryBalance(block: BlockTag): Promise<bigint | undefined> {
    // Before the first block there is nothing.
    if (block !== "latest" && block < 0n) return 0n;
    const { contract, treasury } = this.#settings;
    const data = await this.#call(contract, SELECTORS.balanceOf + toWord(treasury), block).catch((error: unknown) => {
      if (block !== "latest" && error instanceof RpcRefusal && NO_STATE.test(error.message)) return undefined;
      throw error;
    });
    // Before the token was deployed, the call answers nothing.
    return data === undefined ? undefined : (readWords(data)[0] ?? 0n);
  }

  /** The credits per token after a block; undefined where the price source has none that is fresh enough. */
  async rate(block: BlockTag): Promise<TokenRate | undefined> {
    const { rate } = this.#settings;
    if (rate.kind === "fixed") return rate.rate;
    const { address, maxAgeSeconds } = rate;
    const [round, decimals, time] = await Promise.all([
      this.#call(address, SELECTORS.latestRoundData, block).catch(refusedAs("0x")),
      this.#call(address, SELECTORS.decimals, block).catch(refusedAs("0x")),
      this.#read(`block ${block}`, block, async (node) => (await readBlock(node, block)).timestamp),
    ]);
    const [, price, , updatedAt] = readWords(round);
    const [count] = readWords(decimals);
    if (price === undefined || updatedAt === undefined || count === undefined || count > TOKEN_DECIMALS_MAX)
      return undefined;
    if (toSigned(price) <= 0n || updatedAt + BigInt(maxAgeSeconds) < time) return undefined;
    return { numerator: price, decimals: Number(count) };
  }

  /** Whether a wallet that is a contract accepts a signature (ERC-1271). */
  async acceptsSignature(wallet: string, digest: string, signature: string): Promise<boolean> {
    const bytes = signature.slice(2);
    const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0");
    const call = `${SELECTORS.isValidSignature}${toWord(digest)}${toWord(64n)}${toWord(BigInt(bytes.length / 2))}${padded}`;
    const answer = await this.#callAgreed(wallet, call).catch(refusedAs("0x"));
    return answer === `${SELECTORS.isValidSignature}${"0".repeat(56)}`;
  }

  #callAgreed(to: string, data: string): Promise<string> {
    return readAgreed(this.#nodes, `a call of ${to}`, (node) => call(node, to, data, "latest"));
  }

  #call(to: string, data: string, block: BlockTag): Promise<string> {
    return this.#read(`a call of ${to}`, block, (node) => call(node, to, data, block));
  }

  /** The newest block differs by node for a moment, and is only shown, so that the first node to answer is believed. */
  async #read<Result>(what: string, block: BlockTag, read: (node: RpcNode) => Promise<Result>): Promise<Result> {
    if (block !== "latest") return readAgreed(this.#nodes, what, read);
    return Promise.any(this.#nodes.map(read)).catch((error: unknown) => {
      const refusal =
        error instanceof AggregateError ? error.errors.find((reason) => reason instanceof RpcRefusal) : undefined;
      throw refusal instanceof RpcRefusal ? refusal : new RpcAway("No node of the chain answers.", { cause: error });
    });
  }
}

async function call(node: RpcNode, to: string, data: string, block: BlockTag): Promise<string> {
  const answer = await node.call("eth_call", [{ to, data }, block === "latest" ? block : toQuantity(block)]);
  return bytesSchema.parse(answer).toLowerCase();
}

async function readBlock(node: RpcNode, block: BlockTag) {
  const answer = await node.call("eth_getBlockByNumber", [block === "latest" ? block : toQuantity(block), false]);
  const parsed = blockSchema.safeParse(answer);
  if (!parsed.success) throw new RpcAway(`${node.host} does not have block ${block}.`);
  return parsed.data;
}

/** The units of a Transfer event; undefined where it is of another form, such as that of tokens that can't be divided. */
function unitsOf({ topics, data }: ChainLog): bigint | undefined {
  return topics.length === 3 && data.length === 66 ? readWords(data)[0] : undefined;
}

/**
 * Which account each transfer was for. The deposit contract's event is the first one after the transfer that it made, in the
 * same transaction and of the same sender.
 */
function matchReferences(
  transfers: readonly ChainLog[],
  deposits: readonly ChainLog[],
): ReadonlyMap<ChainLog, string | undefined> {
  const references = new Map<ChainLog, string | undefined>();
  for (const deposit of deposits) {
    const made = transfers
      .filter((log) => log.transactionHash === deposit.transactionHash && log.topics[1] === deposit.topics[1])
      .filter((log) => log.logIndex < deposit.logIndex)
      .toSorted((one, other) => other.logIndex - one.logIndex)[0];
    if (made !== undefined && !references.has(made)) references.set(made, deposit.topics[2]);
  }
  return references;
}

function byPosition(one: TokenTransfer, other: TokenTransfer): number {
  if (one.blockNumber !== other.blockNumber) return one.blockNumber < other.blockNumber ? -1 : 1;
  return one.logIndex - other.logIndex;
}

/** What stands for a refusal: a contract that reverts, or none at all. */
function refusedAs(data: string): (error: unknown) => string {
  return (error) => {
    if (error instanceof RpcRefusal) return data;
    throw error;
  };
}
