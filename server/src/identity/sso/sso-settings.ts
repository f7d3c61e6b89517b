import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { parseEndpointUrl } from "@trunkline/providers/dialer/address-guard.ts";
import { personOf } from "../organisations/membership.ts";
import type { IdentityProvider, IdentityProviderSettings, IdentityProviderStore } from "./identity-provider.ts";
import { describeIssuerFailure, type IssuerClient } from "./issuer-fetch.ts";
import type { OidcClient } from "./oidc-client.ts";

interface SsoSettingsDependencies {
  readonly store: IdentityProviderStore;
  readonly issuers: IssuerClient;
  readonly oidc: OidcClient;
  readonly sessions: { endSso(accountId: string): Promise<void> };
}

/** New settings. A secret that is not given stays; `null` removes it. */
export interface SsoSettingsDraft extends Omit<IdentityProviderSettings, "clientSecret"> {
  readonly clientSecret: IdentityProviderSettings["clientSecret"] | null;
}

/** An organisation's own settings of single sign-on. */
export class SsoSettings {
  readonly #dependencies: SsoSettingsDependencies;

  constructor(dependencies: SsoSettingsDependencies) {
    this.#dependencies = dependencies;
  }

  async find({ accountId }: Caller): Promise<{ provider: IdentityProvider | undefined; enforced: boolean }> {
    const { store } = this.#dependencies;
    const [provider, enforced] = await Promise.all([store.findByAccount(accountId), store.isEnforced(accountId)]);
    return { provider, enforced };
  }

  /** The issuer is asked at once, so that a mistake is seen here and not at the next log-in. */
  async save({ accountId }: Caller, draft: SsoSettingsDraft): Promise<IdentityProvider> {
    const { store, oidc } = this.#dependencies;
    requireIssuerUrl(this.#dependencies.issuers, draft.issuer);
    const before = await store.findByAccount(accountId);
    // A secret goes to the issuer that it was given for, and to no other.
    const kept = before?.issuer === draft.issuer ? before.clientSecret : undefined;
    const clientSecret = draft.clientSecret === null ? undefined : (draft.clientSecret ?? kept);
    const settings = { ...draft, clientSecret };
    await oidc.discover(settings).catch((error: unknown) => {
      throw new Fault(
        "invalid_request",
        `The issuer is no provider of OpenID Connect that can be used: ${describeIssuerFailure(error)}.`,
        { param: "issuer" },
        { cause: error },
      );
    });
    if (!(await store.save(before?.id ?? newId(), accountId, settings)))
      throw new Fault("conflict", `The name "${draft.name}" is taken. Choose another.`, { param: "name" });
    const saved = await store.findByAccount(accountId);
    if (saved === undefined) throw new Error("An identity provider vanished while it was saved.");
    return saved;
  }

  /** Ends the sessions that it opened. */
  async remove({ accountId }: Caller): Promise<IdentityProvider> {
    const { store, sessions } = this.#dependencies;
    const provider = await store.findByAccount(accountId);
    if (provider === undefined) throw noProvider();
    await store.remove(accountId);
    await sessions.endSso(accountId);
    return provider;
  }

  /** Only by a session that came by single sign-on: it proves that there is a way in. */
  async setEnforced(caller: Caller, enforced: boolean): Promise<void> {
    const { store } = this.#dependencies;
    if (enforced) {
      if ((await store.findByAccount(caller.accountId)) === undefined) throw noProvider();
      if (personOf(caller).bySso !== true)
        throw new Fault(
          "conflict",
          "Log in by single sign-on first, then enforce it. Otherwise a mistake in the settings would lock everyone out.",
        );
    }
    await store.setEnforced(caller.accountId, enforced);
  }

  /** For the operator, where an organisation has locked itself out. */
  async liftEnforcement(accountId: string): Promise<void> {
    await this.#dependencies.store.setEnforced(accountId, false);
  }
}

/** Refuses an issuer that the dialer would never reach. */
export function requireIssuerUrl(issuers: IssuerClient, issuer: string): void {
  const url = parseEndpointUrl(issuer, issuers.isPrivate(issuer));
  if (typeof url === "string") {
    throw new Fault(
      "invalid_request",
      `${url.replace("The endpoint", "The issuer")} The service's operator can allow others.`,
      { param: "issuer" },
    );
  }
  if (url.search !== "") throw new Fault("invalid_request", "The issuer must not have a query.", { param: "issuer" });
}

function noProvider(): Fault {
  return new Fault("not_found", "Your organisation has no identity provider yet. Set one up first.");
}
