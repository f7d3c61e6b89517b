import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { Secret as OtpSecret, TOTP } from "otpauth";

export interface SecondFactorStore {
  /** Saves an unconfirmed secret; false where there is a confirmed one. */
  saveUnconfirmed(personId: string, secret: Secret): Promise<boolean>;
  find(personId: string): Promise<{ readonly secret: Secret; readonly confirmed: boolean } | undefined>;
  /** Makes it required at log-in; false where there is nothing to confirm. */
  confirm(personId: string, step: number, codes: readonly Buffer[]): Promise<boolean>;
  /** False where this step, or a later one, was used before. */
  useStep(personId: string, step: number): Promise<boolean>;
  useRecoveryCode(personId: string, hash: Buffer): Promise<boolean>;
  /** False where there is no second factor. */
  replaceRecoveryCodes(personId: string, codes: readonly Buffer[]): Promise<boolean>;
  remove(personId: string): Promise<boolean>;
}

/** The second factor: a code of an authenticator app, or one of ten recovery codes. */
export class SecondFactor {
  readonly #store: SecondFactorStore;
  readonly #clock: Clock;

  constructor(store: SecondFactorStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Starts the setup. It is not required until a code has confirmed it. */
  async beginSetup(person: { readonly id: string; readonly email: string }) {
    const secret = new Secret(new OtpSecret({ size: 20 }).base32);
    if (!(await this.#store.saveUnconfirmed(person.id, secret))) {
      throw new Fault("conflict", "There is a second factor already. Remove it before you set up another.");
    }
    return { secret: secret.reveal(), uri: totpOf(secret, person.email).toString() };
  }

  /** Returns the recovery codes, which are shown only once. */
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

  /** Which kind of code it was; undefined where it is wrong or was used before. */
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
/** Phones' clocks differ, so the codes before and after are valid too. */
const WINDOW_STEPS = 1;
const TOTP_OPTIONS = { algorithm: "SHA1", digits: 6, period: STEP_SECONDS } as const;

/** The time step of a code; undefined where it is wrong. Each step may be used only once. */
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

const RECOVERY_CODES = 10;
/** Without letters and digits that are easily confused. 32 characters: 5 bits each. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const RECOVERY_CODE_CHARACTERS = 16;

/** Codes for a person who loses the second factor, 80 bits each, in groups of four characters. */
function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = [...randomBytes(RECOVERY_CODE_CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
    return text.replace(/(.{4})(?=.)/g, "$1-");
  });
}

/** The only stored form of a code. It does not depend on case, spaces and hyphens. */
function hashOfRecoveryCode(code: string): Buffer {
  return createHash("sha256").update(code.toLowerCase().replaceAll(/[\s-]/g, "")).digest();
}
