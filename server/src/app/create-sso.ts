import { lookUpTxtRecords } from "@trunkline/providers/dialer/txt-records.ts";
import { Directory } from "../identity/directory/directory.ts";
import { invalidFilter } from "../identity/directory/scim-filter.ts";
import { mintKeySecret } from "../identity/keys/keyring.ts";
import type { TokenStore } from "../identity/people/person.ts";
import { EmailDomains } from "../identity/sso/email-domains.ts";
import { IssuerClient } from "../identity/sso/issuer-fetch.ts";
import { OidcClient } from "../identity/sso/oidc-client.ts";
import { AddressedPeople } from "../identity/sso/person-by-address.ts";
import { SsoLogIns } from "../identity/sso/sso-log-in.ts";
import { SsoSettings } from "../identity/sso/sso-settings.ts";
import { ServiceAccounts } from "../identity/workloads/service-accounts.ts";
import { TokenExchange } from "../identity/workloads/token-exchange.ts";
import { PostgresDirectory } from "../store/identity/directory.ts";
import { PostgresMembershipLock } from "../store/identity/membership-lock.ts";
import {
  PostgresEmailDomains,
  PostgresExternalIdentities,
  PostgresIdentityProviders,
} from "../store/identity/single-sign-on.ts";
import { PostgresWorkloadTrusts } from "../store/identity/workload-trusts.ts";
import type { BaseServices, IdentityServices, NotifyServices, SsoServices } from "./services.ts";

/** Creates single sign-on at organisations' own identity providers, what their directories manage, and service accounts. */
export function createSso(
  {
    config,
    clock,
    database,
    dialer,
    sealer,
    settings,
    notify,
    warnThrottled,
  }: BaseServices & { readonly notify: NotifyServices },
  {
    people,
    sessions,
    attemptLimiter,
    linkTo,
    keyring,
    apiKeys,
  }: Pick<IdentityServices, "people" | "sessions" | "attemptLimiter" | "linkTo" | "keyring" | "apiKeys">,
  tokens: TokenStore,
) {
  const issuers = new IssuerClient(dialer, config.privateIssuers);
  const oidc = new OidcClient(issuers);
  const providers = new PostgresIdentityProviders(database, sealer);
  const domains = new EmailDomains(new PostgresEmailDomains(database), lookUpTxtRecords);
  const memberships = new PostgresMembershipLock(database);
  const identities = new PostgresExternalIdentities(database, people);
  const addressed = new AddressedPeople(people, identities, () => settings.current.signUp !== "closed");
  const directoryStore = new PostgresDirectory(database, () =>
    invalidFilter("an attribute or a comparison is not supported here"),
  );
  const directory = new Directory({
    store: directoryStore,
    providers,
    domains,
    people: addressed,
    memberships,
    onKeysRevoked: () => keyring.invalidate(),
  });
  const sso: SsoServices = {
    domains,
    settings: new SsoSettings({ store: providers, issuers, oidc, sessions }),
    logIns: new SsoLogIns({
      providers,
      identities,
      domains,
      people: addressed,
      tokens,
      memberships,
      oidc,
      attemptLimiter,
      mailer: notify.mailer,
      linkTo,
      standingInDirectory: (...person) => directoryStore.readStanding(...person),
      onFailure: (error, { organisation }) =>
        warnThrottled(error, `The identity provider of ${organisation} failed at a log-in.`),
    }),
  };
  const trusts = new PostgresWorkloadTrusts(database);
  return {
    services: {
      sso,
      directory,
      serviceAccounts: new ServiceAccounts(apiKeys, trusts, issuers),
      tokenExchange: new TokenExchange({ store: trusts, issuers, attemptLimiter, clock, mint: mintKeySecret }),
    },
    sweep: () => trusts.sweep(),
  };
}
