import { readFile, stat } from "node:fs/promises";
import { StartupError } from "@trunkline/core/fault.ts";
import { type Certificate, CertificateError, readCertificate } from "./certificate.ts";
import type { CertificateSource } from "./certificate-source.ts";

/** How often the files are looked at. Not by notices of the file system: they miss files behind links and on network drives. */
const CHECK_MS = 2_000;

/** What a source of files needs. */
export interface CertificateFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** Called where new files can't be used. The old certificate stays. */
  readonly onWarning: (words: string, error: unknown) => void;
}

/** A certificate out of two files, which is read again when they change. */
export class CertificateFiles implements CertificateSource {
  readonly expectsTlsChallenge = false;
  readonly #options: CertificateFilesOptions;
  readonly #listeners: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #current: Certificate;
  /** What `#current` was read from. */
  #version: string;
  /** What was seen at the last check, where it differs: files that are being replaced are not read yet. */
  #seen: string | undefined;
  /** What could not be used. Said once. */
  #refused: string | undefined;

  private constructor(options: CertificateFilesOptions, current: Certificate, version: string) {
    this.#options = options;
    this.#current = current;
    this.#version = version;
  }

  /** Throws StartupError where the files can't be used. */
  static async open(options: CertificateFilesOptions): Promise<CertificateFiles> {
    try {
      const version = await versionOf(options);
      return new CertificateFiles(options, await readFiles(options), version);
    } catch (error) {
      throw new StartupError(`TRUNKLINE_TLS_CERT and TRUNKLINE_TLS_KEY can't be used. ${wordsOf(error)}`, {
        cause: error,
      });
    }
  }

  get current(): Certificate {
    return this.#current;
  }

  challengeCertificate(): undefined {
    return undefined;
  }

  async keyAuthorization(): Promise<undefined> {
    return undefined;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#timer = setInterval(() => void this.refresh(), CHECK_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Reads the files again where they have changed, and have been the same at two checks. */
  async refresh(): Promise<void> {
    const version = await versionOf(this.#options).catch(wordsOf);
    const isSettled = version === this.#seen;
    this.#seen = version;
    if (version === this.#version || version === this.#refused || !isSettled) return;
    try {
      this.#current = await readFiles(this.#options);
      this.#version = version;
      this.#refused = undefined;
      for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#refused = version;
      this.#options.onWarning(`The new TLS certificate can't be used, and the old one stays. ${wordsOf(error)}`, error);
    }
  }
}

async function readFiles({ certFile, keyFile }: CertificateFilesOptions): Promise<Certificate> {
  const [chain, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
  return readCertificate(chain, key);
}

/** Changes when either file is replaced or written. */
async function versionOf({ certFile, keyFile }: CertificateFilesOptions): Promise<string> {
  const found = await Promise.all([certFile, keyFile].map((file) => stat(file)));
  return found.map(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`).join(", ");
}

function wordsOf(error: unknown): string {
  if (error instanceof CertificateError) return error.message;
  return error instanceof Error ? `${error.message}.` : String(error);
}
