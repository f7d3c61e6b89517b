import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** An issuer that signs whatever a test wants, for its client `trunkline`. */
export interface HostileIssuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Changes to its metadata. */
  metadata: Readonly<Record<string, unknown>>;
  /** The ID token for the nonce of a log-in. */
  idToken: (nonce: string) => Promise<string>;
  /** The codes and verifiers that were sent to its token endpoint. */
  readonly received: URLSearchParams[];
  /** A token of its current key; `claims` are laid over the usual ones. */
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>, expires?: string): Promise<string>;
  rotateKeys(): Promise<void>;
  /** What is public of its current key. */
  publicKey(): KeyPair["publicKey"];
  stop(): Promise<void>;
}

/** Starts it. Its authorization endpoint sends the browser back at once. */
export async function startHostileIssuer(): Promise<HostileIssuer> {
  let keys = await generateKeyPair("RS256", { extractable: true });
  let kid = 1;
  let nonce = "";
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", hostile.issuer);
    const send = (body: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (url.pathname === "/.well-known/openid-configuration") {
      return send({
        issuer: hostile.issuer,
        authorization_endpoint: `${hostile.issuer}/authorize`,
        token_endpoint: `${hostile.issuer}/token`,
        jwks_uri: `${hostile.issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
        ...hostile.metadata,
      });
    }
    if (url.pathname === "/jwks") {
      return send({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: `k${kid}`, alg: "RS256", use: "sig" }] });
    }
    if (url.pathname === "/authorize") {
      nonce = url.searchParams.get("nonce") ?? "";
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", "a-code");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      return response.writeHead(302, { location: back.href }).end();
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    hostile.received.push(new URLSearchParams(body));
    return send({ access_token: "x", token_type: "Bearer", expires_in: 60, id_token: await hostile.idToken(nonce) });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const hostile: HostileIssuer = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: "trunkline",
    clientSecret: "x",
    metadata: {},
    idToken: (given) => hostile.sign({ nonce: given }),
    received: [],
    sign: (claims, header = {}, expires = "5 minutes") =>
      new SignJWT({ iss: hostile.issuer, aud: "trunkline", sub: "mallory", ...claims })
        .setProtectedHeader({ alg: "RS256", kid: `k${kid}`, ...header })
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(keys.privateKey),
    async rotateKeys() {
      keys = await generateKeyPair("RS256", { extractable: true });
      kid += 1;
    },
    publicKey: () => keys.publicKey,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return hostile;
}
