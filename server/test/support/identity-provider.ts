import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration, type JWK } from "oidc-provider";

/** A person as the identity provider knows them. */
export interface ProviderAccount {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

/** A real identity provider, in which everyone who comes is logged in as `loggedIn`. */
export interface TestIdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accounts: Map<string, ProviderAccount>;
  /** The redirect URIs that are registered for the client. */
  readonly redirectUris: Set<string>;
  loggedIn: string;
  /** Replaces its keys by new ones. */
  rotateKeys(): void;
  stop(): Promise<void>;
}

const CLIENT_ID = "trunkline";
const CLIENT_SECRET = "the client's own secret";

export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const started: TestIdentityProvider = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    accounts: new Map(),
    redirectUris: new Set(),
    loggedIn: "",
    rotateKeys: () => {
      handle = createHandler(started);
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  started.rotateKeys();
  return started;
}

let keys = 0;

function newKey(): JWK {
  keys += 1;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...(privateKey.export({ format: "jwk" }) as JWK), kid: `key-${keys}`, use: "sig", alg: "RS256" };
}

function createHandler(started: TestIdentityProvider) {
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: ["https://registered-later.example/"],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [newKey()] },
    cookies: { keys: ["a key of the tests"] },
    scopes: ["openid", "email", "profile", "groups"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...started.accounts.get(id) }) }),
    async loadExistingGrant(context) {
      const grant = new provider.Grant({
        clientId: CLIENT_ID,
        accountId: context.oidc.session?.accountId ?? started.loggedIn,
      });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  };
  const provider = new Provider(started.issuer, configuration);
  provider.Client.prototype.redirectUriAllowed = (uri: string) => started.redirectUris.has(uri);
  const serve = provider.callback();
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url?.startsWith("/interaction/")) {
      void provider.interactionFinished(request, response, { login: { accountId: started.loggedIn, remember: false } });
      return;
    }
    void serve(request, response);
  };
}

/** Goes through the provider's pages as a browser does, up to the address that leads back. */
export async function followToCallback(url: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(url);
  for (let hop = 0; hop < 10; hop++) {
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    next = new URL(location, next);
    if (next.pathname.startsWith("/sso/callback/")) return next;
  }
  throw new Error("The provider redirects without an end.");
}
