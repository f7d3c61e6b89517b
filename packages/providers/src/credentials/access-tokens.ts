import { sign } from "node:crypto";
import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { isObject, nonEmptyText } from "@trunkline/core/json-object.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { DialFailure } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { AccessToken, type CloudCredential, isKnownTokenUrl, type TokenGrant } from "./cloud-credential.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SIGNED_SECONDS = 3_600;
/** Where the identity service does not say how long a token lasts. */
const USUAL_SECONDS = 600;
/** From this long before its end on, another token is requested while the old one is still used. */
const RENEW_MS = 300_000;
/** A token that ends sooner is not used for a new call. */
const SPARE_MS = 30_000;
const WAIT_MS = 10_000;
const BYTES_MAX = 256 * 1024;
const LIMITS = {
  connectMs: WAIT_MS,
  firstByteMs: WAIT_MS,
  silenceMs: WAIT_MS,
  wholeMs: 2 * WAIT_MS,
  responseBytes: BYTES_MAX,
  chunkBytes: BYTES_MAX,
};

/** The tokens of one credential. */
interface TokenState {
  token: AccessToken | undefined;
  endsAtMs: number;
  /** The request for another one, which all calls wait for that need it. */
  pending: Promise<AccessToken> | undefined;
}

const states = new WeakMap<CloudCredential, TokenState>();

interface TokenDeps {
  readonly dialer: Dialer;
  readonly clock?: Clock;
  /** Whether the credential is the operator's, whose identity service may be anywhere. */
  readonly isOperators: boolean;
}

/** What is sent for a cloud credential: its key, or an access token, which is requested when it is first needed. */
export function sentCredentialOf(cloud: CloudCredential, deps: TokenDeps): Secret | Promise<Secret> {
  if (cloud.grant === undefined) return cloud.key ?? new Secret("");
  const clock = deps.clock ?? systemClock;
  const state = states.get(cloud) ?? { token: undefined, endsAtMs: 0, pending: undefined };
  states.set(cloud, state);
  const restMs = state.endsAtMs - clock.now();
  if (state.token === undefined || restMs < SPARE_MS) return renew(cloud.grant, state, deps, clock);
  // A failure here is not the call's: the next one tries again.
  if (restMs < RENEW_MS) renew(cloud.grant, state, deps, clock).catch(() => undefined);
  return state.token;
}

/** Forgets a token that the provider refused. True where another one may help. */
export function forgetToken(cloud: CloudCredential, token: Secret): boolean {
  const state = states.get(cloud);
  if (state === undefined || !(token instanceof AccessToken)) return false;
  if (state.token === token) state.token = undefined;
  return true;
}

function renew(grant: TokenGrant, state: TokenState, deps: TokenDeps, clock: Clock): Promise<AccessToken> {
  state.pending ??= requestToken(grant, deps, clock)
    .then(({ token, seconds }) => {
      state.token = token;
      state.endsAtMs = clock.now() + seconds * 1_000;
      return token;
    })
    .finally(() => {
      state.pending = undefined;
    });
  return state.pending;
}

async function requestToken(
  grant: TokenGrant,
  { dialer, isOperators }: TokenDeps,
  clock: Clock,
): Promise<{ token: AccessToken; seconds: number }> {
  if (!isOperators && !isKnownTokenUrl(grant.url))
    throw new ProviderFailure("refused", "can't be called: the credential names an unknown identity service");
  const { status, body } = await post(dialer, grant, clock, isOperators);
  const text = isObject(body) ? nonEmptyText(body.access_token) : undefined;
  if (status === 200 && isObject(body) && text !== undefined && /^[\x21-\x7e]+$/.test(text)) {
    const seconds = Number(body.expires_in);
    return { token: new AccessToken(text), seconds: seconds > 0 && seconds < 864_000 ? seconds : USUAL_SECONDS };
  }
  throw tokenFailure(status, body);
}

async function post(dialer: Dialer, grant: TokenGrant, clock: Clock, mayDialPrivate: boolean) {
  const request = {
    url: grant.url,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams(formOf(grant, clock)).toString(),
    mayDialPrivate,
    limits: LIMITS,
  };
  try {
    // Several calls may wait for it, so that no single one may cancel it.
    const reply = await dialer.post(request, new AbortController().signal);
    const pieces: Buffer[] = [];
    for await (const piece of reply.body) pieces.push(piece);
    return { status: reply.status, body: parse(Buffer.concat(pieces).toString("utf8")) };
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    const kind = error.kind.endsWith("timeout") ? "timeout" : "broken";
    throw new ProviderFailure(kind, `its identity service failed: ${error.message}`, {}, { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function formOf(grant: TokenGrant, clock: Clock): Record<string, string> {
  if (grant.kind === "form") return { ...grant.form };
  const now = Math.floor(clock.now() / 1_000);
  const head = { alg: "RS256", typ: "JWT", ...(grant.keyId === undefined ? {} : { kid: grant.keyId }) };
  const claims = { iss: grant.email, scope: SCOPE, aud: grant.url, iat: now, exp: now + SIGNED_SECONDS };
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  let signature: Buffer;
  try {
    signature = sign("RSA-SHA256", Buffer.from(text), grant.privateKey);
  } catch (error) {
    const outage = "credential";
    throw new ProviderFailure("refused", "can't be signed for with this private key", { outage }, { cause: error });
  }
  return { grant_type: GRANT_TYPE, assertion: `${text}.${signature.toString("base64url")}` };
}

/** Says why there is no token. The identity service's own code is safe to show, its description may name the client. */
function tokenFailure(status: number, body: unknown): ProviderFailure {
  const code = isObject(body) && typeof body.error === "string" ? body.error.slice(0, 64) : undefined;
  const said = code !== undefined && /^[\w.-]+$/.test(code) ? code : undefined;
  if (status === 429)
    return new ProviderFailure("rate-limited", "its identity service gets too many requests", { said });
  if (status >= 400 && status < 500)
    return new ProviderFailure(
      "refused",
      `its identity service refused our credential${said === undefined ? "" : `: ${said}`}`,
      { said, outage: "credential" },
    );
  return new ProviderFailure("broken", `its identity service answered with status ${status}`, { said });
}
