import { type Algorithm, hash, type Options, verify } from "@node-rs/argon2";
import { Fault } from "@trunkline/core/fault.ts";
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 256;
/** What is left of this would take an attacker years, even with the hash in hand. */
const GOOD_SCORE = 3;
/**
 * What is longer is judged by its beginning, and of the ways to read `4` as `a` only so many are tried: the judgement holds
 * up everybody else, and its time grows much faster than either. With 64 and 100 a stranger's text could take half a second.
 */
const SCORED_CHARACTERS_MAX = 32;
const L33T_SUBSTITUTIONS_MAX = 8;

const NON_NAME_CHARACTERS_MIN = 6;

/** How hard a password is to guess, from 0 to 4, and what would make it harder. */
interface PasswordStrength {
  readonly score: number;
  /** A sentence; undefined where it is good. */
  readonly advice: string | undefined;
}

/** Whose password it is: what others know of somebody makes a bad one. */
interface PasswordOwner {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** Judges a password by dictionaries of breached and common ones, keyboards, dates, repetitions, and its owner's own names. */
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

/** A password that is too weak is the mistake of whoever chose it: they are told why. */
export async function refuseWeakPassword(password: string, owner: PasswordOwner): Promise<void> {
  const { advice } = await scorePassword(password, owner);
  if (advice !== undefined) throw new Fault("invalid_request", advice, { param: "password" });
}

let estimator: Promise<ZxcvbnFactory> | undefined;

/** The dictionaries are large: they are read when the first password is chosen. */
function loadEstimator(): Promise<ZxcvbnFactory> {
  estimator ??= (async () => {
    const [{ ZxcvbnFactory: Judge }, { dictionary, adjacencyGraphs }] = await Promise.all([
      import("@zxcvbn-ts/core"),
      import("@zxcvbn-ts/language-common"),
    ]);
    return new Judge({
      dictionary,
      graphs: adjacencyGraphs,
      maxLength: SCORED_CHARACTERS_MAX,
      l33tMaxSubstitutions: L33T_SUBSTITUTIONS_MAX,
    });
  })();
  return estimator;
}

/** What little is left beside one's own names is no secret, however long they are. */
function isMadeOfNames(text: string, owner: PasswordOwner): boolean {
  const names = namesOf(owner).toSorted((one, other) => other.length - one.length);
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

/** Made of 32 random bytes that were thrown away, by the same terms: comparing with it takes as long as with any other. */
const DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$0Z9ESOtfoLjOrwVjDdJJ+A$dddVlGWLV2Wg9HgL86MrUjpLotasdl8V4tOyFlifqkY";

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
function normalisePassword(password: string): string {
  return password.normalize("NFKC");
}
