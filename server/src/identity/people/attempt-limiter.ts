import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { Fault } from "@trunkline/core/fault.ts";
import { clientNetworkOf } from "@trunkline/core/ip-address.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** A token bucket: `times` attempts at once, refilled evenly over `minutes`. */
export interface Allowance {
  readonly times: number;
  readonly minutes: number;
}

interface AttemptRule {
  /** Per e-mail address or person. */
  readonly subject?: Allowance;
  /** Per network. A success gives nothing back. */
  readonly address: Allowance;
}

/** How many attempts unauthenticated clients have for each operation. */
const ATTEMPT_RULES = {
  "log-in": { subject: { times: 10, minutes: 15 }, address: { times: 50, minutes: 15 } },
  "second-factor": { subject: { times: 10, minutes: 60 }, address: { times: 50, minutes: 15 } },
  passkey: { address: { times: 120, minutes: 15 } },
  wallet: { address: { times: 60, minutes: 15 } },
  /** Many CI jobs come from one network. */
  exchange: { address: { times: 3_000, minutes: 15 } },
  sso: { address: { times: 120, minutes: 15 } },
  "sign-up": { address: { times: 10, minutes: 60 } },
  /** A page that waits for an approval asks every few seconds. */
  "sign-up-state": { address: { times: 600, minutes: 15 } },
  mail: { subject: { times: 5, minutes: 60 }, address: { times: 30, minutes: 60 } },
  /** Per mailbox, and per organisation, whose id is passed as the address. */
  invitation: { subject: { times: 5, minutes: 60 }, address: { times: 60, minutes: 60 } },
  /** Per organisation, whose id is passed as the address. */
  "credit-request": { address: { times: 5, minutes: 1_440 } },
  link: { address: { times: 60, minutes: 15 } },
  strength: { address: { times: 300, minutes: 15 } },
  /** Passwords and codes that a logged-in person enters again. */
  proof: { subject: { times: 10, minutes: 15 }, address: { times: 50, minutes: 15 } },
} as const satisfies Record<string, AttemptRule>;

type AttemptKind = keyof typeof ATTEMPT_RULES;

/** One attempt to authenticate. */
export interface AuthAttempt {
  readonly address: string;
  /** The e-mail address or the person's id. */
  readonly subject?: string;
  /** The browser's device id, where it is known for that e-mail address. */
  readonly device?: string | undefined;
}

export interface AttemptStore {
  /** Counts one attempt. Where none is left, counts nothing and returns the seconds to wait. */
  count(key: Buffer, allowance: Allowance): Promise<number | undefined>;
}

/** Limits attempts over all instances together. No lock-out is permanent: attempts refill by themselves. */
export class AttemptLimiter {
  readonly #store: AttemptStore;

  constructor(store: AttemptStore) {
    this.#store = store;
  }

  async check(kind: AttemptKind, { address, subject, device }: AuthAttempt): Promise<void> {
    const rule: AttemptRule = ATTEMPT_RULES[kind];
    if (device !== undefined) return this.#count(`${kind} device ${device}`, rule.subject ?? rule.address);
    await this.#count(`${kind} address ${clientNetworkOf(address)}`, rule.address);
    if (subject !== undefined && rule.subject !== undefined)
      await this.#count(`${kind} subject ${subject}`, rule.subject);
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
 * Recognises browsers in which a person has logged in before. Such a browser has attempts of its own, so that attackers
 * who use up a person's attempts can't lock them out. It proves nothing else.
 */
export class KnownDevices {
  /** The first one signs. */
  readonly #keys: readonly [Buffer, ...Buffer[]];

  /** `fallback` is the secret before, whose tokens are still known. */
  constructor(serviceSecret: Secret, fallback?: Secret) {
    const current = deriveDeviceKey(serviceSecret);
    this.#keys = fallback === undefined ? [current] : [current, deriveDeviceKey(fallback)];
  }

  /** A token for the browser's cookie, bound to the e-mail address that logged in. */
  issueToken(email: string): string {
    const nonce = randomBytes(16).toString("base64url");
    return `${nonce}.${signDevice(this.#keys[0], nonce, email)}`;
  }

  /** The browser's device id; undefined where it is not known for this e-mail address. */
  recognise(token: string | undefined, email: string): string | undefined {
    const [nonce = "", signature = ""] = token?.split(".") ?? [];
    const given = Buffer.from(signature);
    const isKnown = this.#keys.some((key) => {
      const expected = Buffer.from(signDevice(key, nonce, email));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    return isKnown ? nonce : undefined;
  }
}

function deriveDeviceKey(secret: Secret): Buffer {
  return Buffer.from(hkdfSync("sha256", secret.reveal(), "trunkline", "devices", 32));
}

function signDevice(key: Buffer, nonce: string, email: string): string {
  return createHmac("sha256", key).update(`${nonce} ${email}`).digest("base64url");
}
