import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { type Certificate, readCertificate } from "../certificate.ts";

// The tags of DER, the form of certificates.
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT = 0xa0;

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

/** Below 2^14 each, which is enough for those below. */
function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = rest.flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(OBJECT_ID, Buffer.from([first * 40 + second, ...bytes]));
}

const TRUE = Buffer.from([0x01, 0x01, 0xff]);
const NO_UNUSED_BITS = Buffer.from([0]);
const ECDSA_WITH_SHA256 = der(SEQUENCE, objectId("1.2.840.10045.4.3.2"));
const EXTENSION_REQUEST = objectId("1.2.840.113549.1.9.14");
const SUBJECT_ALT_NAME = objectId("2.5.29.17");
const COMMON_NAME = objectId("2.5.4.3");
const ACME_IDENTIFIER = objectId("1.3.6.1.5.5.7.1.31");
const DNS_NAME = 0x82;

function altNames(domains: readonly string[]): Buffer {
  const names = der(SEQUENCE, ...domains.map((name) => der(DNS_NAME, Buffer.from(name, "ascii"))));
  return der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, names));
}

function signed(content: Buffer, key: KeyObject): Buffer {
  const signature = sign("sha256", content, key);
  return der(SEQUENCE, content, ECDSA_WITH_SHA256, der(BIT_STRING, NO_UNUSED_BITS, signature));
}

/** A new key, of the kind that is used for accounts and certificates. */
export function newKeyPair() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function spkiOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: "spki", format: "der" });
}

/** A request for a certificate for these names (PKCS #10), in DER form. */
export function createRequest(domains: readonly string[], { publicKey, privateKey }: ReturnType<typeof newKeyPair>) {
  const extensions = der(SEQUENCE, EXTENSION_REQUEST, der(SET, der(SEQUENCE, altNames(domains))));
  const version = der(INTEGER, Buffer.from([0]));
  const noSubject = der(SEQUENCE);
  return signed(der(SEQUENCE, version, noSubject, spkiOf(publicKey), der(CONTEXT, extensions)), privateKey);
}

const CHALLENGE_DAYS = 7;
const DAY_MS = 86_400_000;

/** The certificate that answers a TLS-ALPN-01 challenge (RFC 8737). */
export function createChallengeCertificate(domain: string, keyAuthorization: string, now: number): Certificate {
  const { publicKey, privateKey } = newKeyPair();
  const digest = der(OCTET_STRING, createHash("sha256").update(keyAuthorization).digest());
  const identifier = der(SEQUENCE, ACME_IDENTIFIER, TRUE, der(OCTET_STRING, digest));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from("ACME challenge")))));
  const content = der(
    SEQUENCE,
    der(CONTEXT, der(INTEGER, Buffer.from([2]))),
    // A number that is positive and not written with a zero before it.
    der(INTEGER, Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, utcTime(now - DAY_MS), utcTime(now + CHALLENGE_DAYS * DAY_MS)),
    name,
    spkiOf(publicKey),
    der(CONTEXT + 3, der(SEQUENCE, altNames([domain]), identifier)),
  );
  const base64 = signed(content, privateKey).toString("base64").replace(/.{64}/g, "$&\n");
  const pem = `-----BEGIN CERTIFICATE-----\n${base64.trimEnd()}\n-----END CERTIFICATE-----\n`;
  return readCertificate(pem, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`, "ascii"));
}
