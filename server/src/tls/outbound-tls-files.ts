import { readFileSync, statSync } from "node:fs";
import { StartupError } from "@trunkline/core/fault.ts";
import type { OutboundTls } from "@trunkline/providers/dialer/connection.ts";
import { readCertificate } from "./certificate.ts";
import type { OutboundTlsSettings } from "./tls-settings.ts";

interface Entry {
  readonly settings: OutboundTlsSettings;
  terms: OutboundTls;
  version: string;
}

/** The certificates for connections to other hosts, out of files that are read again when they change. */
export class OutboundTlsFiles {
  readonly #entries: readonly Entry[];
  readonly #onWarning: (words: string, error: unknown) => void;

  private constructor(entries: readonly Entry[], onWarning: (words: string, error: unknown) => void) {
    this.#entries = entries;
    this.#onWarning = onWarning;
  }

  /** Throws StartupError where a file can't be used. `onWarning` is called where that is so later: the old ones stay. */
  static open(
    settings: readonly OutboundTlsSettings[],
    onWarning: (words: string, error: unknown) => void,
  ): OutboundTlsFiles {
    const entries = settings.map((one) => {
      try {
        return { settings: one, terms: readTerms(one), version: versionOf(one) };
      } catch (error) {
        throw new StartupError(`The files of outbound_tls for ${one.host} can't be used. ${messageOf(error)}`, {
          cause: error,
        });
      }
    });
    return new OutboundTlsFiles(entries, onWarning);
  }

  /** What a new connection to this host needs; undefined: nothing special. */
  termsOf(host: string): OutboundTls | undefined {
    return this.#entries.find(({ settings }) => fits(settings.host, host))?.terms;
  }

  /** Reads files that have changed. Connections that are open stay. */
  async sweep(): Promise<void> {
    for (const entry of this.#entries) {
      try {
        const version = versionOf(entry.settings);
        if (version === entry.version) continue;
        entry.version = version;
        entry.terms = readTerms(entry.settings);
      } catch (error) {
        const words = `The new files of outbound_tls for ${entry.settings.host} can't be used, and the old ones stay.`;
        this.#onWarning(`${words} ${messageOf(error)}`, error);
      }
    }
  }
}

function fits(pattern: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return pattern === "*" || pattern === name || (pattern.startsWith("*.") && name.endsWith(pattern.slice(1)));
}

function readTerms({ caFile, certFile, keyFile }: OutboundTlsSettings): OutboundTls {
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") };
  if (certFile === undefined || keyFile === undefined) return ca;
  const { chain, key } = readCertificate(readFileSync(certFile, "utf8"), readFileSync(keyFile, "utf8"));
  return { ...ca, cert: chain, key: key.reveal() };
}

function versionOf({ caFile, certFile, keyFile }: OutboundTlsSettings): string {
  return [caFile, certFile, keyFile]
    .flatMap((file) => (file === undefined ? [] : [statSync(file)]))
    .map(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`)
    .join(", ");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
