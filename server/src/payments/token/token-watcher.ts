import { setTimeout as wait } from "node:timers/promises";
import { newId } from "@trunkline/core/id.ts";
import { formatCredits, NANO_PER_CREDIT, type NanoCredits } from "@trunkline/core/money.ts";
import { NodesDisagree } from "./agreement.ts";
import type { DepositStore, NewDeposit, ScanPosition } from "./deposit-store.ts";
import { RpcRefusal } from "./json-rpc.ts";
import { receivedUnits } from "./received-units.ts";
import type { TokenChain, TokenTransfer, TreasuryMoves } from "./token-chain.ts";
import { creditsFor, formatRate, formatUnits } from "./token-rate.ts";

/** How often the chain is looked at. */
const POLL_MS = 5_000;
/** How many blocks are read at once. Nodes that allow fewer get fewer. */
const SPAN_MAX = 2_000n;
/** How far a chain that replaced final blocks is read again. */
const REWIND_BLOCKS = 5_000n;
/** How often a range is read again when its events don't explain what the treasury has received. */
const GAP_TRIES = 20;
/** More than this is not credited without the operator. */
export const DEPOSIT_MAX: NanoCredits = 1_000_000n * NANO_PER_CREDIT;
const NO_ADDRESS = `0x${"0".repeat(40)}`;
/** Reads of the chain at once. */
const READS_AT_ONCE = 8;
const PENDING_MAX = 1_000;

export interface TokenWatcherOptions {
  readonly chain: TokenChain;
  readonly store: DepositStore;
  readonly treasury: string;
  readonly startBlock: bigint;
  /** Called after credits were added to an account. */
  readonly onCredit: (accountId: string) => void;
  readonly onError: (error: unknown) => void;
  readonly pollMs?: number;
}

/**
 * Reads the transfers to the treasury from final blocks, records them and credits them. Every step can be repeated: what is
 * recorded and credited once is decided by the store. So a crash, a second instance or a reading from the first block again
 * change nothing.
 */
export class TokenWatcher {
  readonly #options: TokenWatcherOptions;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #span = SPAN_MAX;
  #gap = { from: -1n, tries: 0 };

  constructor(options: TokenWatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { onError, store, pollMs = POLL_MS } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const hasMore = await this.pass().catch((error: unknown) => {
        if (!signal.aborted) onError(error);
        return false;
      });
      if (!hasMore) await wait(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    // Another instance goes on at once. If the store is away, it goes on when the lease is over.
    await store.releaseLease().catch(() => undefined);
  }

  /** Reads the next range of final blocks, and what is not final. Returns whether there are more final blocks. */
  async pass(): Promise<boolean> {
    const { chain, store, startBlock, onCredit } = this.#options;
    const position = await store.takeLease(startBlock);
    if (position === undefined) return false;
    // Also credits what was recorded before a crash, and what a wallet was linked for meanwhile, whether or not nodes answer.
    const credit = async () => {
      for (const { accountId } of await store.creditClaimable()) onCredit(accountId);
    };
    await credit();
    const { decimals } = await chain.facts();
    const { head, final } = await chain.heads();
    const nextBlock = await this.#readRange(position, final, decimals);
    if (nextBlock > final) {
      const recent = head > final ? await chain.recentMoves(final + 1n, head) : [];
      await store.savePending(recent.filter((transfer) => this.#isPayment(transfer)).slice(-PENDING_MAX), head, final);
    }
    await credit();
    return nextBlock <= final;
  }

  /** Returns the block to go on with. */
  async #readRange(position: ScanPosition, final: bigint, decimals: number): Promise<bigint> {
    const { chain, store } = this.#options;
    const { nextBlock: from } = position;
    if (from > final) return from;
    if (position.blockHash !== undefined && (await chain.blockHash(from - 1n)) !== position.blockHash) {
      const again = from > REWIND_BLOCKS ? from - REWIND_BLOCKS : 0n;
      await store.rewind(again > this.#options.startBlock ? again : this.#options.startBlock);
      throw new Error(
        `The chain has replaced block ${from - 1n}, which was final. Blocks are read again; compare credited deposits with the treasury.`,
      );
    }
    const to = final < from + this.#span - 1n ? final : from + this.#span - 1n;
    const [moves, blockHash] = await Promise.all([
      chain.moves(from, to).catch((error: unknown) => {
        // Nodes limit the blocks or events of an answer: the next try asks for fewer.
        if (error instanceof RpcRefusal && this.#span > 1n) this.#span /= 2n;
        throw error;
      }),
      chain.blockHash(to),
    ]);
    const unexplained = await this.#unexplainedUnits(from, to, moves);
    const deposits = await this.#evaluate(moves, decimals);
    const isRecorded = await store.record({ from, to, blockHash, tokenDecimals: decimals, unexplained, deposits });
    if (!isRecorded) throw new Error("Another instance reads the chain.");
    this.#span = this.#span * 2n > SPAN_MAX ? SPAN_MAX : this.#span * 2n;
    return to + 1n;
  }

  /** A transfer to the treasury that another made. What is minted for it, or moves within it, is no payment. */
  #isPayment({ sender }: TokenTransfer | { readonly sender: string }): boolean {
    return sender !== NO_ADDRESS && sender !== this.#options.treasury;
  }

  /**
   * A node may leave out events, which would lose a deposit. Then the treasury received more than the events explain, and
   * the range is read again. If it stays so, the token itself does it, and the operator is shown by how much.
   */
  async #unexplainedUnits(from: bigint, to: bigint, { incoming, outgoing }: TreasuryMoves): Promise<bigint> {
    const { chain } = this.#options;
    const [before, after] = await Promise.all([chain.treasuryBalance(from - 1n), chain.treasuryBalance(to)]);
    if (before === undefined || after === undefined) return 0n;
    const sum = (moved: readonly { readonly units: bigint }[]) => moved.reduce((total, { units }) => total + units, 0n);
    const extra = after - before - (sum(incoming) - sum(outgoing));
    if (extra <= 0n) return 0n;
    this.#gap = { from, tries: this.#gap.from === from ? this.#gap.tries + 1 : 1 };
    if (this.#gap.tries >= GAP_TRIES) return extra;
    throw new NodesDisagree(
      `The treasury received ${extra} units in blocks ${from} to ${to} that no event explains. The blocks are read again.`,
    );
  }

  /** What each new transfer is worth. */
  async #evaluate({ incoming, outgoing }: TreasuryMoves, decimals: number): Promise<readonly NewDeposit[]> {
    const unknown = new Set(await this.#options.store.unknownOf(incoming.filter((move) => this.#isPayment(move))));
    const blocks = [...new Set([...unknown].map(({ blockNumber }) => blockNumber))];
    const deposits: NewDeposit[] = [];
    for (let index = 0; index < blocks.length; index += READS_AT_ONCE) {
      const evaluated = blocks.slice(index, index + READS_AT_ONCE).map((block) =>
        this.#evaluateBlock(
          block,
          incoming.filter(({ blockNumber }) => blockNumber === block),
          outgoing.filter(({ blockNumber }) => blockNumber === block),
          decimals,
        ),
      );
      deposits.push(...(await Promise.all(evaluated)).flat());
    }
    const isNew = new Set([...unknown].map(keyOf));
    return deposits.filter((deposit) => isNew.has(keyOf(deposit)));
  }

  async #evaluateBlock(
    block: bigint,
    incoming: TreasuryMoves["incoming"],
    outgoing: TreasuryMoves["outgoing"],
    decimals: number,
  ): Promise<NewDeposit[]> {
    const { chain } = this.#options;
    const [before, after, rate] = await Promise.all([
      chain.treasuryBalance(block - 1n),
      chain.treasuryBalance(block),
      chain.rate(block),
    ]);
    const isChecked = before !== undefined && after !== undefined;
    const received = isChecked ? receivedUnits(incoming, outgoing, after - before) : incoming.map(({ units }) => units);
    return incoming.map((transfer, index) => {
      const units = received[index] ?? 0n;
      const deposit = { ...transfer, id: newId(), received: units, rate: rate && formatRate(rate) };
      const review = (note: string): NewDeposit => ({ ...deposit, amount: undefined, state: "review", note });
      if (!isChecked) return review("The nodes keep no state of its block, so that what arrived can't be checked.");
      if (rate === undefined) return review("The price source had no fresh price in its block.");
      const amount = creditsFor(units, decimals, rate);
      if (amount > DEPOSIT_MAX) return review(`It is worth more than ${formatCredits(DEPOSIT_MAX)}.`);
      const note =
        units === transfer.units
          ? undefined
          : `Tokens announced: ${formatUnits(transfer.units, decimals)}; arrived: ${formatUnits(units, decimals)}.`;
      if (amount > 0n) return { ...deposit, amount, state: "unclaimed", note };
      return { ...deposit, amount, state: "empty", note: note ?? "It is worth less than a nano-credit." };
    });
  }
}

function keyOf({ txHash, logIndex }: Pick<TokenTransfer, "txHash" | "logIndex">): string {
  return `${txHash} ${logIndex}`;
}
