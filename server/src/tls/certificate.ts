import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { Secret } from "@trunkline/core/secret.ts";

/** A certificate with its chain and its key, as a TLS server needs them. */
export interface Certificate {
  /** The certificate and those that vouch for it, in PEM form. */
  readonly chain: string;
  /** In PEM form. */
  readonly key: Secret;
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** Why a certificate can't be used. The message is a sentence for the operator. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

/** Reads a certificate and its key. Throws CertificateError where they can't be read or don't belong together. */
export function readCertificate(chain: string, key: string): Certificate {
  const first = FIRST_CERTIFICATE.exec(chain)?.[0];
  if (first === undefined) throw new CertificateError("The certificate's file holds no certificate in PEM form.");
  const certificate = readFirst(first);
  if (!certificate.checkPrivateKey(readKey(key)))
    throw new CertificateError("The key is not the certificate's: the two files don't belong together.");
  return {
    chain,
    key: new Secret(key),
    validFrom: Date.parse(certificate.validFrom),
    validTo: Date.parse(certificate.validTo),
  };
}

function readFirst(text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new CertificateError("The certificate can't be read.", { cause: error });
  }
}

function readKey(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new CertificateError("The key can't be read: it must be in PEM form and without a pass phrase.", {
      cause: error,
    });
  }
}
