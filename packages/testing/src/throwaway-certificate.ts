import { generateKeyPairSync, sign } from "node:crypto";

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const BASIC_CONSTRAINTS = "0603551d13";
const SUBJECT_ALT_NAME = "0603551d11";

/** A key and a certificate for one name, signed by itself and valid today, both in PEM form. For tests of TLS. */
export function makeCertificate(hostname: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, Buffer.from(ECDSA_WITH_SHA256, "hex"));
  const name = der(0x30, der(0x31, der(0x30, Buffer.from(COMMON_NAME, "hex"), der(0x0c, Buffer.from("throwaway")))));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    der(0x30, utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      der(
        0x30,
        extension(BASIC_CONSTRAINTS, der(0x30, der(0x01, Buffer.of(0xff)))),
        extension(SUBJECT_ALT_NAME, der(0x30, der(0x82, Buffer.from(hostname)))),
      ),
    ),
  );
  const signature = der(0x03, Buffer.of(0), sign("sha256", body, privateKey));
  const base64 = der(0x30, body, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value of ASN.1: its tag, its length and its content. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), bytes]);
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), bytes]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), bytes]);
}

function extension(oid: string, value: Buffer): Buffer {
  return der(0x30, Buffer.from(oid, "hex"), der(0x04, value));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
