import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { Fault } from "@trunkline/core/fault.ts";
import { clientNetworkOf } from "@trunkline/core/ip-address.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** So many at once; what was used comes back evenly over so many minutes. */
export interface Allowance {
  readonly times: number;
  readonly minutes: number;
}

interface AttemptRule {
  /** For each e-mail address, or person. */
  readonly subject?: Allowance;
  /** For each network address. A success gives nothing back. */
  readonly address: Allowance;
}

/** How often strangers may knock at which door. */
const ATTEMPT_RULES = {
  "log-in": { subject: { times: 10, minutes: 15 }, address: { times: 50, minutes: 15 } },
  "second-factor": { subject: { times: 10, minutes: 60 }, address: { times: 50, minutes: 15 } },
  passkey: { address: { times: 120, minutes: 15 } },
  "sign-up": { address: { times: 10, minutes: 60 } },
  mail: { subject: { times: 5, minutes: 60 }, address: { times: 30, minutes: 60 } },
  /** For each mailbox, and for each organisation, which takes the network address's place here. */
  invitation: { subject: { times: 5, minutes: 60 }, address: { times: 60, minutes: 60 } },
  link: { address: { times: 60, minutes: 15 } },
  strength: { address: { times: 300, minutes: 15 } },
  /** Passwords and codes that somebody who is logged in gives once more. */
  proof: { subject: { times: 10, minutes: 15 }, address: { times: 50, minutes: 15 } },
} as const satisfies Record<string, AttemptRule>;

type AttemptKind = keyof typeof ATTEMPT_RULES;

/** Who knocks. */
export interface AuthAttempt {
  readonly address: string;
  /** The e-mail address that is asked about, or the person. */
  readonly subject?: string;
  /** The browser, where it is known for that address. */
  readonly device?: string | undefined;
}

export interface AttemptStore {
  /** Counts one; answers with the seconds to wait where there is no more to be had, and counts nothing then. */
  count(key: Buffer, allowance: Allowance): Promise<number | undefined>;
}

/** Holds strangers to their tries, on all instances together. Nobody is shut out for good: tries come back by themselves. */
export class AttemptLimiter {
  readonly #store: AttemptStore;

  constructor(tallies: AttemptStore) {
    this.#store = tallies;
  }

  async check(door: AttemptKind, { address, subject, device }: AuthAttempt): Promise<void> {
    const rule: AttemptRule = ATTEMPT_RULES[door];
    if (device !== undefined) return this.#count(`${door} device ${device}`, rule.subject ?? rule.address);
    await this.#count(`${door} address ${clientNetworkOf(address)}`, rule.address);
    if (subject !== undefined && rule.subject !== undefined)
      await this.#count(`${door} subject ${subject}`, rule.subject);
  }

  async #count(key: string, allowance: Allowance): Promise<void> {
    const waitSeconds = await this.#store.count(createHash("sha256").update(key).digest(), allowance);
    if (waitSeconds === undefined) return;
    throw new Fault("rate_limited", "Too many tries. Wait a little, then try again.", {
      retryAfterSeconds: waitSeconds,
    });
  }
}

/**
 * Browsers in which somebody has logged in before. Such a browser has tries of its own at the door, so that strangers who
 * use up a person's tries can't keep that person out. It proves nothing else.
 */
export class KnownDevices {
  readonly #key: Buffer;

  constructor(serviceSecret: Secret) {
    this.#key = Buffer.from(hkdfSync("sha256", serviceSecret.reveal(), "trunkline", "devices", 32));
  }

  /** What a browser is to remember, bound to the address that logged in there. */
  issueToken(email: string): string {
    const nonce = randomBytes(16).toString("base64url");
    return `${nonce}.${this.#signature(nonce, email)}`;
  }

  /** Which browser it is; undefined where it is not known for this address. */
  recognise(mark: string | undefined, email: string): string | undefined {
    const [nonce = "", signature = ""] = mark?.split(".") ?? [];
    const given = Buffer.from(signature);
    const due = Buffer.from(this.#signature(nonce, email));
    return given.length === due.length && timingSafeEqual(given, due) ? nonce : undefined;
  }

  #signature(nonce: string, email: string): string {
    return createHmac("sha256", this.#key).update(`${nonce} ${email}`).digest("base64url");
  }
}
