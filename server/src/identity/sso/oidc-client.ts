import * as oidc from "openid-client";
import type { IdentityProvider, IdentityProviderSettings } from "./identity-provider.ts";
import type { IssuerClient } from "./issuer-fetch.ts";

/** Only signatures by a key pair count: one by a shared secret could be made by every client of the issuer. */
export const SIGNATURE_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

const TIMEOUT_SECONDS = 15;
const CLOCK_TOLERANCE_SECONDS = 60;

/** What a log-in needs to be finished; kept with its state. */
export interface PendingLogIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** What an identity provider says of a person. */
export interface ProviderClaims {
  readonly subject: string;
  readonly email: string | undefined;
  /** undefined: it does not say. */
  readonly emailVerified: boolean | undefined;
  readonly name: string | undefined;
  readonly groups: ReadonlySet<string>;
}

/**
 * The flow of OpenID Connect with an organisation's provider: authorization code, PKCE, state and nonce. The provider's
 * metadata and keys are read at each log-in, so that changed keys hold at once.
 */
export class OidcClient {
  readonly #issuers: IssuerClient;

  constructor(issuers: IssuerClient) {
    this.#issuers = issuers;
  }

  /** Reads the provider's metadata. Throws where it is no provider of OpenID Connect. */
  async discover(settings: Pick<IdentityProviderSettings, "issuer" | "clientId" | "clientSecret">) {
    const { issuer, clientId, clientSecret } = settings;
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
      [oidc.customFetch]: this.#issuers.fetchFor(issuer),
      timeout: TIMEOUT_SECONDS,
      execute: this.#issuers.isPrivate(issuer) ? [oidc.allowInsecureRequests] : [],
    });
    const metadata: oidc.ServerMetadata = JSON.parse(JSON.stringify(found.serverMetadata()));
    if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined)
      throw new Error("its metadata names no authorization or token endpoint");
    const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
    const algorithms = offered.filter((algorithm) => SIGNATURE_ALGORITHMS.includes(algorithm));
    const configuration = new oidc.Configuration(
      { ...metadata, id_token_signing_alg_values_supported: algorithms },
      clientId,
      { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      clientAuthentication(clientSecret?.reveal(), metadata.token_endpoint_auth_methods_supported),
    );
    configuration[oidc.customFetch] = this.#issuers.fetchFor(issuer);
    configuration.timeout = TIMEOUT_SECONDS;
    // The signature of an ID token is checked although the token comes over TLS.
    oidc.enableNonRepudiationChecks(configuration);
    if (this.#issuers.isPrivate(issuer)) oidc.allowInsecureRequests(configuration);
    return configuration;
  }

  /** Where the browser is sent to log in. */
  async begin(
    provider: IdentityProvider,
    redirectUri: string,
    loginHint: string | undefined,
  ): Promise<{ url: string; pending: PendingLogIn }> {
    const configuration = await this.discover(provider);
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: provider.scopes.join(" "),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    });
    return { url: url.href, pending: { state, nonce, verifier, redirectUri } };
  }

  /** Exchanges the code that the browser brought, and checks everything that came with it. */
  async finish(provider: IdentityProvider, pending: PendingLogIn, query: string): Promise<ProviderClaims> {
    const configuration = await this.discover(provider);
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${pending.redirectUri}?${query}`), {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("it sent no ID token");
    let all: Record<string, unknown> = { ...claims };
    const isComplete = emailOf(all) !== undefined && all[provider.groupsClaim] !== undefined;
    if (!isComplete && configuration.serverMetadata().userinfo_endpoint !== undefined) {
      // What the ID token says counts before what the endpoint says. Its subject must be the same.
      all = { ...(await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...all };
    }
    if (claims.sub.length > SUBJECT_LENGTH_MAX || CONTROL.test(claims.sub))
      throw new Error("its subject can't be kept");
    return {
      subject: claims.sub,
      email: emailOf(all),
      emailVerified: typeof all.email_verified === "boolean" ? all.email_verified : undefined,
      name: nameOf(all.name),
      groups: groupsOf(all[provider.groupsClaim]),
    };
  }
}

function clientAuthentication(secret: string | undefined, methods: readonly string[] = ["client_secret_basic"]) {
  if (secret === undefined) return oidc.None();
  return methods.includes("client_secret_basic") ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

const SUBJECT_LENGTH_MAX = 255;
const NAME_LENGTH_MAX = 100;
const CONTROL = /[\p{Cc}\p{Cs}]/u;
const EMAIL = /^[^\s\p{Cc}\p{Cs}@<>(),;:"[\]\\]{1,64}@[^\s\p{Cc}\p{Cs}@<>(),;:"[\]\\]{1,190}$/u;

/** Some providers send the address as the user name only. It is normalised as our own forms do it. */
function emailOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  for (const value of [claims.email, claims.preferred_username, claims.upn]) {
    const email = normaliseEmail(value);
    if (email !== undefined) return email;
  }
  return undefined;
}

/** An e-mail address in its stored form; undefined: it is none. */
export function normaliseEmail(value: unknown): string | undefined {
  const email = typeof value === "string" ? value.trim().normalize("NFKC").toLowerCase() : "";
  return EMAIL.test(email) ? email : undefined;
}

function nameOf(value: unknown): string | undefined {
  const name = typeof value === "string" ? value.replaceAll(/[\p{Cc}\p{Cs}]/gu, "").trim() : "";
  return name === "" ? undefined : name.slice(0, NAME_LENGTH_MAX).replace(/\p{Cs}$/u, "");
}

const GROUPS_MAX = 1_000;

function groupsOf(claim: unknown): ReadonlySet<string> {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  return new Set(values.slice(0, GROUPS_MAX).filter((value): value is string => typeof value === "string"));
}
