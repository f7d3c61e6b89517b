import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";

/** How many bytes of large bodies may be in this process at once. */
export interface BodyMemoryLimits {
  readonly all: number;
  readonly account: number;
  readonly key: number;
}

/** One body may always be as large as it may be; an account gets half of the memory, a key a quarter. */
export function bodyMemoryLimits(bytes: number, largestBodyBytes: number): BodyMemoryLimits {
  const atLeastOne = (share: number) => Math.max(Math.floor(share), largestBodyBytes);
  return { all: atLeastOne(bytes), account: atLeastOne(bytes / 2), key: atLeastOne(bytes / 4) };
}

/** Bodies up to this size are not counted: the number of running requests bounds them. */
export const UNCOUNTED_BODY_BYTES = 64 * 1024;

/** Counts the bytes of large bodies while their requests run, so that a few callers can't fill the process's memory. */
export class BodyMemory {
  readonly #limits: BodyMemoryLimits;
  readonly #bytesById = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BodyMemoryLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts more bytes for a caller, or refuses them. */
  take({ accountId, keyId }: Pick<Caller, "accountId" | "keyId">, bytes: number): void {
    const { all, account, key } = this.#limits;
    if (this.#bytesOf(keyId) + bytes > key) throw ownBodiesFault("key", key);
    if (this.#bytesOf(accountId) + bytes > account) throw ownBodiesFault("account", account);
    if (this.#bytes + bytes > all)
      throw new Fault("overloaded", "The service has too many large bodies in memory. Try again in a moment.", {
        retryAfterSeconds: 1,
      });
    this.#bytes += bytes;
    this.#add(keyId, bytes);
    this.#add(accountId, bytes);
  }

  giveBack({ accountId, keyId }: Pick<Caller, "accountId" | "keyId">, bytes: number): void {
    this.#bytes -= bytes;
    this.#add(keyId, -bytes);
    this.#add(accountId, -bytes);
  }

  #bytesOf(id: string): number {
    return this.#bytesById.get(id) ?? 0;
  }

  #add(id: string, bytes: number): void {
    const sum = this.#bytesOf(id) + bytes;
    if (sum === 0) this.#bytesById.delete(id);
    else this.#bytesById.set(id, sum);
  }
}

function ownBodiesFault(owner: "account" | "key", limitBytes: number): Fault {
  return new Fault(
    "rate_limited",
    `The large bodies of this ${owner}'s running requests may have ${limitBytes.toLocaleString("en")} bytes together. Send this one when another has ended.`,
    { retryAfterSeconds: 1 },
  );
}
