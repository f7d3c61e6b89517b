import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** A key pair for signing requests, and its region. */
interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
}

/**
 * The key in a credential of the form `ACCESS_KEY_ID:SECRET[:SESSION_TOKEN[:REGION]]`; undefined where it is one word,
 * which is an API key. The region counts where the URL does not name one, as behind a proxy.
 */
export function signingKeyOf(credential: Secret, url: URL): SigningKey | undefined {
  const [accessKeyId = "", secretAccessKey, sessionToken = "", givenRegion = ""] = credential.reveal().split(":");
  if (secretAccessKey === undefined) return undefined;
  const region = regionOf(url.hostname) ?? (givenRegion || undefined);
  if (accessKeyId === "" || secretAccessKey === "")
    throw invalidCredential("the credential has to be ACCESS_KEY_ID:SECRET, with a session token after a second colon");
  if (region === undefined)
    throw invalidCredential("its address names no region, so the credential has to: ACCESS_KEY_ID:SECRET::REGION");
  return { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined, region };
}

/** The region in a host such as `bedrock-runtime.eu-west-1.amazonaws.com`, also of a private endpoint. */
function regionOf(hostname: string): string | undefined {
  return /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d+)\./.exec(hostname)?.[1];
}

function invalidCredential(why: string): ProviderFailure {
  return new ProviderFailure("refused", `can't be signed for: ${why}`);
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** SHA-256 for the signer, using the platform's implementation. */
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

/** What is signed, and for which service of AWS or a compatible one. */
export interface SignedCall {
  readonly service: "bedrock" | "s3";
  readonly method: "POST" | "PUT";
}

/** The headers of a call, including the signature. */
export async function signHeaders(
  url: URL,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  { region, ...credentials }: SigningKey,
  now: number,
  { service, method }: SignedCall = { service: "bedrock", method: "POST" },
): Promise<Record<string, string>> {
  const { sessionToken, ...pair } = credentials;
  // Loaded by the first request that is signed: it is as large as all of our wire formats together.
  const { SignatureV4 } = await import("@smithy/signature-v4");
  const signer = new SignatureV4({
    service,
    region,
    // S3 takes the path as it is sent.
    uriEscapePath: service !== "s3",
    credentials: sessionToken === undefined ? pair : { ...pair, sessionToken },
    sha256: Sha256,
  });
  const { host: _host, ...signed } = (
    await signer.sign(
      {
        method,
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
  // The host header is signed, and is sent with the connection.
  return signed;
}

function toBuffer(data: Bytes): Buffer {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
