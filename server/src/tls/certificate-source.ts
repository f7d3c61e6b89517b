import type { Certificate } from "./certificate.ts";

/** Where the service's certificate comes from: files, or an ACME server. */
export interface CertificateSource {
  /** undefined: the first one is still to come. */
  readonly current: Certificate | undefined;
  /** Whether an ACME server may connect right now to see a certificate of `challengeCertificate`. */
  readonly expectsTlsChallenge: boolean;
  /** The certificate by which this name answers a TLS-ALPN-01 challenge. */
  challengeCertificate(name: string): Certificate | undefined;
  /** What answers an HTTP-01 challenge; undefined: there is no such challenge. */
  keyAuthorization(token: string): Promise<string | undefined>;
  /** Calls `listener` for every other certificate. */
  onChange(listener: () => void): void;
  /** Begins to look for changes, and to order. The ports must be open. */
  start(): void;
  /** Looks now. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}
