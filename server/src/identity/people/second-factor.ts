import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { Secret as OtpSecret, TOTP } from "otpauth";

/** What the room asks of the store about second factors. */
export interface SecondFactorStore {
  /** Keeps a secret that is not confirmed yet; false where a confirmed one is there. */
  saveUnconfirmed(personId: string, secret: Secret): Promise<boolean>;
  find(personId: string): Promise<{ readonly secret: Secret; readonly confirmed: boolean } | undefined>;
  /** From now on it is asked for; false where there is nothing to confirm. */
  confirm(personId: string, step: number, codes: readonly Buffer[]): Promise<boolean>;
  /** False where this step, or a later one, was used before. */
  useStep(personId: string, step: number): Promise<boolean>;
  useRecoveryCode(personId: string, hash: Buffer): Promise<boolean>;
  /** False where there is no second factor. */
  replaceRecoveryCodes(personId: string, codes: readonly Buffer[]): Promise<boolean>;
  remove(personId: string): Promise<boolean>;
}

/** The second factor: a code from an app, or one of ten that were written down. */
export class SecondFactor {
  readonly #store: SecondFactorStore;
  readonly #clock: Clock;

  constructor(store: SecondFactorStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Begins to set it up. Nothing is asked for until a code has confirmed it. */
  async beginSetup(person: { readonly id: string; readonly email: string }) {
    const secret = newTotpSecret();
    if (!(await this.#store.saveUnconfirmed(person.id, secret))) {
      throw new Fault("conflict", "There is a second factor already. Remove it before you set up another.");
    }
    return { secret: secret.reveal(), uri: totpUriOf(secret, person.email) };
  }

  /** The recovery codes, shown this once. */
  async confirm(personId: string, code: string): Promise<string[]> {
    const found = await this.#store.find(personId);
    if (found === undefined || found.confirmed) {
      throw new Fault("conflict", "There is nothing to confirm. Set up the second factor first.");
    }
    const step = stepOfCode(found.secret, normaliseCode(code), this.#clock.now());
    if (step === undefined) {
      throw new Fault("invalid_request", "This code is wrong. Enter the one that the app shows now.", {
        param: "code",
      });
    }
    const codes = newRecoveryCodes();
    if (!(await this.#store.confirm(personId, step, codes.map(hashOfRecoveryCode)))) {
      throw new Fault("conflict", "The second factor was confirmed in another window.");
    }
    return codes;
  }

  /** By what it was passed; undefined where the code is wrong, or was used before. */
  async verify(personId: string, given: string): Promise<"totp" | "recovery_code" | undefined> {
    const code = normaliseCode(given);
    if (!/^\d{6}$/.test(code)) {
      const isKnown = await this.#store.useRecoveryCode(personId, hashOfRecoveryCode(code));
      return isKnown ? "recovery_code" : undefined;
    }
    const found = await this.#store.find(personId);
    const step = found?.confirmed ? stepOfCode(found.secret, code, this.#clock.now()) : undefined;
    if (step === undefined || !(await this.#store.useStep(personId, step))) return undefined;
    return "totp";
  }

  async renewRecoveryCodes(personId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    if (!(await this.#store.replaceRecoveryCodes(personId, codes.map(hashOfRecoveryCode)))) throw notSetUp();
    return codes;
  }

  async remove(personId: string): Promise<void> {
    if (!(await this.#store.remove(personId))) throw notSetUp();
  }
}

function notSetUp(): Fault {
  return new Fault("conflict", "There is no second factor. Set one up first.");
}

function normaliseCode(code: string): string {
  return code.replaceAll(/[\s-]/g, "");
}

const STEP_SECONDS = 30;
/** Phones' clocks differ: the code before and the one after count too. */
const WINDOW_STEPS = 1;
const TOTP_OPTIONS = { algorithm: "SHA1", digits: 6, period: STEP_SECONDS } as const;

/** A new secret for an authenticator app, in base32. */
function newTotpSecret(): Secret {
  return new Secret(new OtpSecret({ size: 20 }).base32);
}

/** What an authenticator app reads from the QR code. */
function totpUriOf(secret: Secret, email: string): string {
  return totpOf(secret, email).toString();
}

/** The step that a code belongs to; undefined where it is wrong. A step must be used once only. */
function stepOfCode(secret: Secret, code: string, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret, "").validate({ token: code, timestamp: nowMs, window: WINDOW_STEPS });
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / STEP_SECONDS) + delta;
}

function totpOf(secret: Secret, label: string): TOTP {
  return new TOTP({
    ...TOTP_OPTIONS,
    issuer: "Trunkline",
    label,
    secret: OtpSecret.fromBase32(secret.reveal()),
  });
}

const COUNT = 10;
/** Without the letters and digits that are taken for each other. 32 of them: 5 bits each. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const CHARACTERS = 16;

/** Ten codes for whoever loses the second factor, 80 bits each, in groups that can be typed. */
function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const text = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
    return text.replace(/(.{4})(?=.)/g, "$1-");
  });
}

/** The only form in which a code is kept: however it was typed, with or without hyphens. */
function hashOfRecoveryCode(code: string): Buffer {
  return createHash("sha256").update(code.toLowerCase().replaceAll(/[\s-]/g, "")).digest();
}
