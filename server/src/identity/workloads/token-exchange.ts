import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import { createRemoteJWKSet, customFetch, decodeJwt, type JWTPayload, jwtVerify } from "jose";
import type { AttemptLimiter, AuthAttempt } from "../people/attempt-limiter.ts";
import { describeIssuerFailure, type IssuerClient } from "../sso/issuer-fetch.ts";
import { SIGNATURE_ALGORITHMS } from "../sso/oidc-client.ts";
import { unmetCondition, type WorkloadTrust, type WorkloadTrustStore } from "./workload-trust.ts";

type KeySet = ReturnType<typeof createRemoteJWKSet>;

interface TokenExchangeDependencies {
  readonly store: Pick<WorkloadTrustStore, "findFor" | "addSecret">;
  readonly issuers: IssuerClient;
  readonly attemptLimiter: AttemptLimiter;
  readonly clock: Clock;
  readonly mint: () => { readonly secret: string; readonly stored: { readonly hash: string; readonly hint: string } };
}

/** A short-lived secret of a service account. */
export interface ExchangedToken {
  readonly secret: string;
  readonly expiresInSeconds: number;
  readonly trust: WorkloadTrust;
  /** The subject of the token that it was given for. */
  readonly subject: string | undefined;
}

const ISSUERS_CACHED_MAX = 1_000;
const METADATA_MS_MAX = 600_000;
const CLOCK_TOLERANCE_SECONDS = 30;

/** Exchanges the tokens of workloads, such as CI jobs and pods, for short-lived secrets of service accounts. */
export class TokenExchange {
  readonly #dependencies: TokenExchangeDependencies;
  /** The keys of issuers. They are read again for a key that is not known, at most every 30 seconds. */
  readonly #keySets = new LruMap<string, { readonly keySet: KeySet; readonly readAt: number }>(ISSUERS_CACHED_MAX);

  constructor(dependencies: TokenExchangeDependencies) {
    this.#dependencies = dependencies;
  }

  async exchange(serviceAccountId: string, token: string, { address }: AuthAttempt): Promise<ExchangedToken> {
    const { store, attemptLimiter, clock, mint } = this.#dependencies;
    await attemptLimiter.check("exchange", { address });
    const issuer = issuerOf(token);
    const trusts = issuer === undefined || !isId(serviceAccountId) ? [] : await store.findFor(serviceAccountId, issuer);
    // Nothing is fetched for issuers that no trust names.
    if (issuer === undefined || trusts.length === 0)
      throw refused("no trust of this service account is for its issuer");
    const { trust, claims } = await this.#verify(issuer, trusts, token);
    const { secret, stored } = mint();
    const expiresAt = new Date(clock.now() + trust.lifetimeSeconds * 1_000);
    if (!(await store.addSecret(trust, stored, expiresAt))) throw refused("the service account has ended");
    return { secret, expiresInSeconds: trust.lifetimeSeconds, trust, subject: claims.sub };
  }

  /** The first trust that the token fits. */
  async #verify(
    issuer: string,
    trusts: readonly WorkloadTrust[],
    token: string,
  ): Promise<{ trust: WorkloadTrust; claims: JWTPayload }> {
    const keySet = await this.#keySetOf(issuer).catch((error: unknown) => {
      throw refused(`its issuer's keys can't be read, ${describeIssuerFailure(error)}`, error);
    });
    let failure: Fault | undefined;
    for (const trust of trusts) {
      try {
        const { payload } = await jwtVerify(token, keySet, {
          issuer,
          audience: trust.audience,
          algorithms: [...SIGNATURE_ALGORITHMS],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: new Date(this.#dependencies.clock.now()),
          requiredClaims: ["exp"],
        });
        const unmet = unmetCondition(trust.conditions, payload);
        if (unmet === undefined) return { trust, claims: payload };
        failure = refused(`its claim "${unmet}" is not what the trust asks for`);
      } catch (error) {
        failure ??= refused(describeIssuerFailure(error), error);
      }
    }
    throw failure ?? refused("no trust fits it");
  }

  async #keySetOf(issuer: string): Promise<KeySet> {
    const { issuers, clock } = this.#dependencies;
    const known = this.#keySets.get(issuer);
    if (known !== undefined && clock.monotonicMs() - known.readAt < METADATA_MS_MAX) return known.keySet;
    const fetch = issuers.fetchFor(issuer);
    const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const response = await fetch(address, { method: "GET", headers: { accept: "application/json" } });
    const metadata: unknown = response.status === 200 ? await response.json() : undefined;
    if (!isObject(metadata) || metadata.issuer !== issuer || typeof metadata.jwks_uri !== "string")
      throw new Error("its metadata is missing or is another issuer's");
    const keySet = createRemoteJWKSet(new URL(metadata.jwks_uri), { [customFetch]: fetch });
    this.#keySets.set(issuer, { keySet, readAt: clock.monotonicMs() });
    return keySet;
  }
}

function issuerOf(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === "string" && !iss.includes("\0") ? iss : undefined;
  } catch {
    return undefined;
  }
}

function refused(why: string, cause?: unknown): Fault {
  return new Fault("invalid_login", `This token gives no key: ${why}.`, { param: "subject_token" }, { cause });
}
