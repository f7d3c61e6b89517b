import { type Algorithm, hash, type Options, verify } from "@node-rs/argon2";
import { Fault } from "@trunkline/core/fault.ts";

const ARGON2_OPTIONS: Options = {
  // The package's enum exists at compile time only; this is argon2id.
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Made of 32 random bytes that were thrown away, by the same terms: comparing with it takes as long as with any other. */
const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$0Z9ESOtfoLjOrwVjDdJJ+A$dddVlGWLV2Wg9HgL86MrUjpLotasdl8V4tOyFlifqkY";

/** Each hash takes 19 MiB and most of a core for a moment: so many at once, and so many who wait for their turn. */
const CONCURRENT_MAX = 2;
const QUEUE_MAX = 64;

/** Hashes passwords by argon2id, a few at a time, so that a crowd at the log-in can't eat the memory. */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  hash(password: string): Promise<string> {
    return this.#enqueue(() => hash(normalisePassword(password), ARGON2_OPTIONS));
  }

  /** Where there is no hash to compare with, the time is taken all the same: a stranger can't tell who is known. */
  async matches(kept: string | undefined, password: string): Promise<boolean> {
    const same = await this.#enqueue(() => verify(kept ?? DUMMY_HASH, normalisePassword(password)));
    return kept !== undefined && same;
  }

  async #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= CONCURRENT_MAX) {
      if (this.#waiting.length >= QUEUE_MAX) {
        throw new Fault("overloaded", "Too many people log in at once. Try again in a moment.", {
          retryAfterSeconds: 2,
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      // The place is handed on, or given up.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** The same characters typed on another keyboard or system are the same password. */
export function normalisePassword(password: string): string {
  return password.normalize("NFKC");
}
