import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { hashOfRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";
import { newTotpSecret, stepOfCode, totpUriOf } from "./totp.ts";

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
