import { type Algorithm, hash, type Options, verify } from "@node-rs/argon2";
import { Fault } from "@trunkline/core/fault.ts";
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 256;
/** Guessing a password of this score takes years, even with its hash. */
const GOOD_SCORE = 3;
/**
 * Only this many characters are scored, and only this many substitutions such as `4` for `a` are tried. Scoring blocks
 * the event loop, and its time grows much faster than either number: 64 and 100 could take half a second.
 */
const SCORED_CHARACTERS_MAX = 32;
const L33T_SUBSTITUTIONS_MAX = 8;

const NON_NAME_CHARACTERS_MIN = 6;

/** How hard a password is to guess, from 0 to 4, with advice. */
interface PasswordStrength {
  readonly score: number;
  /** A sentence; undefined for a good password. */
  readonly advice: string | undefined;
}

/** The owner's names, which make a password easier to guess. */
interface PasswordOwner {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** Scores a password by lists of breached and common ones, keyboard patterns, dates, repetitions and its owner's names. */
export async function scorePassword(password: string, owner: PasswordOwner): Promise<PasswordStrength> {
  const text = normalisePassword(password);
  const length = [...text].length;
  if (length > PASSWORD_MAX) return { score: 0, advice: `Use at most ${PASSWORD_MAX} characters.` };
  const { score, feedback } = (await loadEstimator()).check(text, namesOf(owner));
  if (length < PASSWORD_MIN) {
    return { score: Math.min(score, 1), advice: `Use at least ${PASSWORD_MIN} characters.` };
  }
  if (isMadeOfNames(text, owner)) return { score: Math.min(score, 1), advice: adviceFor("userInputs") };
  return score >= GOOD_SCORE ? { score, advice: undefined } : { score, advice: adviceFor(feedback.warning) };
}

/** Throws a fault with advice for a weak password. */
export async function refuseWeakPassword(password: string, owner: PasswordOwner): Promise<void> {
  const { advice } = await scorePassword(password, owner);
  if (advice !== undefined) throw new Fault("invalid_request", advice, { param: "password" });
}

let estimator: Promise<ZxcvbnFactory> | undefined;

/** The dictionaries are large, so they are loaded on the first use. */
function loadEstimator(): Promise<ZxcvbnFactory> {
  estimator ??= (async () => {
    const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
      import("@zxcvbn-ts/core"),
      import("@zxcvbn-ts/language-common"),
    ]);
    return new ZxcvbnFactory({
      dictionary,
      graphs: adjacencyGraphs,
      maxLength: SCORED_CHARACTERS_MAX,
      l33tMaxSubstitutions: L33T_SUBSTITUTIONS_MAX,
    });
  })();
  return estimator;
}

/** A password needs enough characters besides the owner's names, however long those are. */
function isMadeOfNames(text: string, owner: PasswordOwner): boolean {
  const names = namesOf(owner).toSorted((a, b) => b.length - a.length);
  const plain = text.toLowerCase();
  const rest = names.reduce((left, name) => left.replaceAll(name.toLowerCase(), ""), plain);
  return rest.length < plain.length && rest.replaceAll(/[^\p{L}\p{N}]/gu, "").length < NON_NAME_CHARACTERS_MIN;
}

function namesOf({ email = "", name = "" }: PasswordOwner): string[] {
  const parts = [email, name].flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  return ["trunkline", ...parts.filter((part) => part.length > 2)];
}

const ADVICE: Readonly<Record<string, string>> = {
  straightRow: "Keys in a row are easy to guess. Use a few words that don't belong together.",
  keyPattern: "Patterns on the keyboard are easy to guess. Use a few words that don't belong together.",
  simpleRepeat: "Repeated characters are easy to guess. Use a few words that don't belong together.",
  extendedRepeat: "Repeated parts add little. Use a few words that don't belong together.",
  sequences: "Sequences such as abc or 6543 are easy to guess. Use a few words that don't belong together.",
  recentYears: "Years are easy to guess. Leave them out, or add a few words.",
  dates: "Dates are easy to guess. Leave them out, or add a few words.",
  topTen: "This is one of the most used passwords. Choose another.",
  topHundred: "This is one of the most used passwords. Choose another.",
  common: "This password is in lists of stolen passwords. Choose another.",
  similarToCommon: "This is close to a password in lists of stolen passwords. Choose another.",
  userInputs: "Your name or address is easy to guess. Use a few words that don't belong together.",
};

function adviceFor(warning: string | null): string {
  const known = warning !== null && Object.hasOwn(ADVICE, warning) ? ADVICE[warning] : undefined;
  return known ?? "This is too easy to guess. Make it longer: a few words that don't belong together are good.";
}

const ARGON2_OPTIONS: Options = {
  // The package's enum exists at compile time only; this is argon2id.
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** The hash of 32 discarded random bytes with the same options. Comparing with it takes as long as with any other. */
const DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$0Z9ESOtfoLjOrwVjDdJJ+A$dddVlGWLV2Wg9HgL86MrUjpLotasdl8V4tOyFlifqkY";

/** Each hash takes 19 MiB and most of a core for a moment. These limit the running and the waiting ones. */
const CONCURRENT_MAX = 2;
const QUEUE_MAX = 64;

/** Hashes passwords with argon2id, a few at a time, so that many log-ins at once can't exhaust the memory. */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #argon2: Pick<typeof import("@node-rs/argon2"), "hash" | "verify">;

  constructor(argon2 = { hash, verify }) {
    this.#argon2 = argon2;
  }

  hash(password: string): Promise<string> {
    return this.#enqueue(() => this.#argon2.hash(normalisePassword(password), ARGON2_OPTIONS));
  }

  /** Takes as long without a stored hash, so that the time does not show which addresses are known. */
  async matches(storedHash: string | undefined, password: string): Promise<boolean> {
    const isSame = await this.#enqueue(() =>
      this.#argon2.verify(storedHash ?? DUMMY_HASH, normalisePassword(password)),
    );
    return storedHash !== undefined && isSame;
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
      // The next one takes over this slot, so `#running` shrinks only when none waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** The same characters may be encoded differently on another keyboard or system. */
function normalisePassword(password: string): string {
  return password.normalize("NFKC");
}
