import { createPrivateKey, type KeyObject } from "node:crypto";
import { type Clock, wait } from "@trunkline/core/clock.ts";
import { type Sealer, Secret } from "@trunkline/core/secret.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { type Certificate, readCertificate } from "../certificate.ts";
import type { CertificateSource } from "../certificate-source.ts";
import { type AcmeSettings, acmeAccountOwner, acmeCertificateName } from "../tls-settings.ts";
import { AcmeClient, AcmeRefusal, type Challenge, type ChallengeKind } from "./acme-client.ts";
import { createChallengeCertificate, newKeyPair } from "./x509.ts";

/** What all instances know of the certificate. */
export interface AcmeState {
  /** undefined: there is none yet. */
  readonly certificate: { readonly chain: string; readonly keyBox: Buffer } | undefined;
  readonly challenges: readonly Challenge[];
}

/** Keeps the certificate and what its orders need, for all instances. */
export interface AcmeStore {
  read(): Promise<AcmeState>;
  /** What answers the HTTP-01 challenge with this token. */
  keyAuthorization(token: string): Promise<string | undefined>;
  /** The account's sealed key: that which is there, or else this one. */
  ensureAccountKey(keyBox: Buffer): Promise<Buffer>;
  /** Takes the right to order for some minutes, where no other instance has it and no pause is on. Returns the failures so far. */
  takeLease(): Promise<number | undefined>;
  /** Gives the right back without having ordered. */
  releaseLease(): Promise<void>;
  /** Makes challenges known to all instances. */
  addChallenges(challenges: readonly Challenge[]): Promise<void>;
  /** Ends an order: keeps the certificate, tells all instances, and drops the challenges. */
  saveCertificate(chain: string, keyBox: Buffer): Promise<void>;
  /** Ends an order that failed. Nobody orders again during the pause. */
  saveFailure(pauseMs: number): Promise<void>;
}

/** An order that takes longer is given up. Less than the lease. */
const ORDER_MS_MAX = 240_000;
/** How long all instances have to learn of a challenge before the ACME server looks. */
const SPREAD_MS = 1_000;
/** The pause after the first failure; each further one doubles it. Public servers allow 5 failures an hour. */
const PAUSE_MS = 300_000;
const PAUSE_MS_MAX = 43_200_000;

interface AcmeCertificatesOptions {
  readonly settings: AcmeSettings;
  readonly kind: ChallengeKind;
  readonly store: AcmeStore;
  readonly dialer: Pick<Dialer, "get" | "post">;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly onIssued: (validTo: number) => void;
  readonly onError: (error: unknown) => void;
}

/** A certificate that an ACME server issues and renews. All instances share it, and one of them orders at a time. */
export class AcmeCertificates implements CertificateSource {
  readonly #options: AcmeCertificatesOptions;
  readonly #listeners: (() => void)[] = [];
  readonly #ending = new AbortController();
  #current: Certificate | undefined;
  /** By domain. */
  #challengeCertificates = new Map<string, Certificate>();
  #challenges = "";
  #isStarted = false;
  #ordering: Promise<void> | undefined;

  constructor(options: AcmeCertificatesOptions) {
    this.#options = options;
  }

  get current(): Certificate | undefined {
    return this.#current;
  }

  get expectsTlsChallenge(): boolean {
    return this.#challengeCertificates.size > 0;
  }

  challengeCertificate(name: string): Certificate | undefined {
    return this.#challengeCertificates.get(name);
  }

  keyAuthorization(token: string): Promise<string | undefined> {
    return this.#options.store.keyAuthorization(token);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#isStarted = true;
    void this.refresh();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#ending.abort();
    await this.#ordering;
  }

  /** Reads what the instances share, and orders where a certificate is due. Called at every notice, and now and then. */
  async refresh(): Promise<void> {
    try {
      await this.#reload();
      if (!this.#isStarted || !this.#isDue() || this.#ordering !== undefined) return;
      this.#ordering = this.#order().finally(() => {
        this.#ordering = undefined;
      });
      await this.#ordering;
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#options.onError(error);
    }
  }

  /** Reads what the instances share. */
  async #reload(): Promise<void> {
    const { store, sealer, settings, clock } = this.#options;
    const { certificate, challenges } = await store.read();
    const shown = challenges.filter(({ kind }) => kind === "tls-alpn-01");
    const key = shown.map(({ token }) => token).join(" ");
    if (key !== this.#challenges) {
      this.#challenges = key;
      this.#challengeCertificates = new Map(
        shown.map(({ domain, keyAuthorization }) => [
          domain,
          createChallengeCertificate(domain, keyAuthorization, clock.now()),
        ]),
      );
    }
    if (certificate === undefined || certificate.chain === this.#current?.chain) return;
    const opened = sealer.open(certificate.keyBox, acmeCertificateName(settings));
    this.#current = readCertificate(certificate.chain, opened.reveal());
    for (const listener of this.#listeners) listener();
  }

  /** Whether a third or less of the certificate's time is left. */
  #isDue(): boolean {
    if (this.#current === undefined) return true;
    const { validFrom, validTo } = this.#current;
    return this.#options.clock.now() >= validTo - (validTo - validFrom) / 3;
  }

  async #order(): Promise<void> {
    const { store, settings, kind, sealer } = this.#options;
    const failures = await store.takeLease();
    if (failures === undefined) return;
    // Another instance may have ordered since the state was read.
    await this.#reload();
    if (!this.#isDue()) return store.releaseLease();
    try {
      const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(ORDER_MS_MAX)]);
      const client = new AcmeClient({
        dialer: this.#options.dialer,
        directory: settings.directory,
        accountKey: await this.#accountKey(),
        signal,
      });
      const { chain, key } = await client.order(settings.domains, settings.email, kind, async (challenges) => {
        await store.addChallenges(challenges);
        await this.#reload();
        await wait(SPREAD_MS, signal);
      });
      const { validTo } = readCertificate(chain, key);
      await store.saveCertificate(chain, sealer.seal(new Secret(key), acmeCertificateName(settings)));
      await this.#reload();
      this.#options.onIssued(validTo);
    } catch (error) {
      if (this.#ending.signal.aborted) return store.releaseLease();
      const asked = error instanceof AcmeRefusal ? (error.retryAfterMs ?? 0) : 0;
      await store.saveFailure(Math.max(asked, Math.min(PAUSE_MS * 2 ** failures, PAUSE_MS_MAX)));
      throw error;
    }
  }

  async #accountKey(): Promise<KeyObject> {
    const { store, sealer, settings } = this.#options;
    const owner = acmeAccountOwner(settings.directory);
    const made = newKeyPair().privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const box = await store.ensureAccountKey(sealer.seal(new Secret(made), owner));
    return createPrivateKey(sealer.open(box, owner).reveal());
  }
}
