import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import type { SigningKey } from "./credential.ts";

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** The hash that the signer is to use, made of the platform's own. */
class Sha256 {
  readonly #secret: Bytes | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: Bytes) {
    this.#secret = secret;
    this.#hash = this.#start();
  }

  update(data: Bytes): void {
    this.#hash.update(toBuffer(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }

  #start(): Hash | Hmac {
    return this.#secret === undefined ? createHash("sha256") : createHmac("sha256", toBuffer(this.#secret));
  }
}

/** The headers of a POST with those that sign it. */
export async function signHeaders(
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  { region, ...credentials }: SigningKey,
  now: number,
): Promise<Record<string, string>> {
  const { sessionToken, ...pair } = credentials;
  const signer = new SignatureV4({
    service: "bedrock",
    region,
    credentials: sessionToken === undefined ? pair : { ...pair, sessionToken },
    sha256: Sha256,
  });
  const { host: _host, ...signed } = (
    await signer.sign(
      {
        method: "POST",
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { ...headers, host: url.host },
        body,
      },
      { signingDate: new Date(now) },
    )
  ).headers;
  // The host is signed and comes with the connection.
  return signed;
}

function toBuffer(data: Bytes): Buffer {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}
