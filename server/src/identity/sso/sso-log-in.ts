import { Fault } from "@trunkline/core/fault.ts";
import { hashOfToken, newToken } from "@trunkline/core/secret.ts";
import { type LinkBuilder, ssoAddressEmail } from "../../notify/mail/emails.ts";
import type { Mailer } from "../../notify/mail/mailer.ts";
import type { MembershipLock } from "../organisations/membership.ts";
import type { AttemptLimiter, AuthAttempt } from "../people/attempt-limiter.ts";
import { expiredLink } from "../people/expired-link.ts";
import type { PersonRecord, TokenStore } from "../people/person.ts";
import { domainOfEmail, type EmailDomains } from "./email-domains.ts";
import {
  type ExternalIdentityStore,
  GIVEN_ROLES,
  type GivenRole,
  type IdentityProvider,
  type IdentityProviderStore,
  roleAfterLogIn,
  roleForGroups,
} from "./identity-provider.ts";
import { describeIssuerFailure } from "./issuer-fetch.ts";
import type { OidcClient, PendingLogIn, ProviderClaims } from "./oidc-client.ts";
import type { AddressedPeople, LinkedPerson } from "./person-by-address.ts";

export interface SsoLogInDependencies {
  readonly providers: IdentityProviderStore;
  readonly identities: ExternalIdentityStore;
  readonly domains: EmailDomains;
  readonly people: AddressedPeople;
  readonly tokens: TokenStore;
  readonly memberships: MembershipLock;
  readonly oidc: OidcClient;
  readonly attemptLimiter: AttemptLimiter;
  readonly mailer: Mailer;
  readonly linkTo: LinkBuilder;
  /** What the organisation's directory says of a person, by address or by id; undefined: nothing. */
  readonly standingInDirectory: (
    accountId: string,
    email: string,
    personId: string | undefined,
  ) => Promise<{ readonly isActive: boolean; readonly groups: readonly string[] } | undefined>;
  /** Logs what the provider did wrong. A client learns less. */
  readonly onFailure: (error: unknown, provider: IdentityProvider) => void;
}

/** Which organisation a person wants to log in to. */
export type SsoTarget = { readonly email: string } | { readonly organisation: string };

export interface SsoLogInRequest {
  readonly target: SsoTarget;
  /** The page of the dashboard to open afterwards. */
  readonly returnTo: string;
  /** A secret in the browser's cookie: only there can the log-in be finished. */
  readonly browser: string;
  readonly redirectUriFor: (providerId: string) => string;
}

export interface SsoLogIn {
  readonly person: PersonRecord;
  readonly accountId: string;
  readonly returnTo: string;
  /** They became a member by it. */
  readonly joinedAs: GivenRole | undefined;
}

/** `confirm`: a link was sent to the address, since nothing proves that it is the person's. */
export type SsoResult = SsoLogIn | { readonly confirm: string };

const STATE_SECONDS = 600;
const ADDRESS_LINK_SECONDS = 3_600;

/** Logs people in by the identity provider of an organisation. The session that follows reaches that organisation alone. */
export class SsoLogIns {
  readonly #dependencies: SsoLogInDependencies;

  constructor(dependencies: SsoLogInDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the provider's page for the browser. */
  async begin({ target, returnTo, browser, redirectUriFor }: SsoLogInRequest, { address }: AuthAttempt) {
    const { attemptLimiter, oidc, tokens } = this.#dependencies;
    await attemptLimiter.check("sso", { address });
    const provider = await this.#find(target);
    const hint = "email" in target ? target.email : undefined;
    // Each provider has a redirect URI of its own: a code of one can't be passed off as that of another.
    const { url, pending } = await oidc
      .begin(provider, redirectUriFor(provider.id), hint)
      .catch((error: unknown) => this.#fail(provider, error));
    const data = { ...pending, providerId: provider.id, browser: hashText(browser), returnTo };
    await tokens.put(hashOfToken(pending.state), "sso", { personId: undefined, data }, STATE_SECONDS);
    return { url };
  }

  /** `query` is what the provider added to the redirect URI. */
  async finish(
    { providerId, query, browser }: { providerId: string; query: string; browser: string | undefined },
    { address }: AuthAttempt,
  ): Promise<SsoResult> {
    const { attemptLimiter, oidc, tokens, providers } = this.#dependencies;
    await attemptLimiter.check("sso", { address });
    const state = new URLSearchParams(query).get("state") ?? "";
    // Taken once, whatever comes of it.
    const stored = await tokens.consume(hashOfToken(state), "sso");
    const data = stored?.data;
    if (data === undefined || browser === undefined || data.browser !== hashText(browser)) throw expiredLogIn();
    if (data.providerId !== providerId) throw expiredLogIn();
    const provider = await providers.find(providerId);
    if (provider === undefined) throw expiredLogIn();
    const claims = await oidc
      .finish(provider, pendingOf(data, state), query)
      .catch((error: unknown) => this.#fail(provider, error));
    return this.#admit(provider, claims, textOf(data.returnTo), address);
  }

  /** Opens the link that proves the address. It is the person's consent, too. */
  async confirmAddress(token: string, { address }: AuthAttempt): Promise<SsoLogIn> {
    const { attemptLimiter, tokens, providers } = this.#dependencies;
    await attemptLimiter.check("link", { address });
    const stored = await tokens.consume(hashOfToken(token), "sso-address");
    const data = stored?.data ?? {};
    const provider = await providers.find(textOf(data.providerId));
    const role = GIVEN_ROLES.find((known) => known === data.role);
    const [subject, email] = [textOf(data.subject), textOf(data.email)];
    if (provider === undefined || role === undefined || provider.issuer !== data.issuer) throw expiredLink();
    await this.#readStanding(provider, email, undefined);
    const linked = await this.#linkByAddress(provider, { subject, email, name: textOf(data.name) }, role);
    return this.#join(provider, linked, role, textOf(data.returnTo));
  }

  /** For the page behind the link: whose identity provider asks. */
  async readAddressLink(token: string, { address }: AuthAttempt): Promise<{ organisation: string; email: string }> {
    const { attemptLimiter, tokens, providers } = this.#dependencies;
    await attemptLimiter.check("link", { address });
    const stored = await tokens.peek(hashOfToken(token), "sso-address");
    const provider = await providers.find(textOf(stored?.data.providerId));
    if (stored === undefined || provider === undefined) throw expiredLink();
    return { organisation: provider.organisation, email: textOf(stored.data.email) };
  }

  async #find(target: SsoTarget): Promise<IdentityProvider> {
    const { providers } = this.#dependencies;
    const domain = "email" in target ? domainOfEmail(target.email) : undefined;
    const found =
      "organisation" in target
        ? await providers.findByName(target.organisation)
        : domain === undefined
          ? undefined
          : await providers.findByDomain(domain);
    if (found !== undefined) return found;
    throw new Fault(
      "not_found",
      "email" in target
        ? "No organisation here has set up single sign-on for this e-mail address. Give the organisation's name, or log in by password."
        : "No organisation here has set up single sign-on under this name. Ask your administrator for it.",
      { param: "email" in target ? "email" : "organisation" },
    );
  }

  /** Decides who the person is here, and whether they may enter. */
  async #admit(
    provider: IdentityProvider,
    claims: ProviderClaims,
    returnTo: string,
    address: string,
  ): Promise<SsoResult> {
    const { identities, domains } = this.#dependencies;
    const { accountId, issuer } = provider;
    const known = await identities.findPerson({ accountId, issuer, subject: claims.subject });
    const email = known?.email ?? claims.email;
    if (email === undefined)
      throw refused("The identity provider did not say your e-mail address. Your administrator has to release it.");
    const standing = await this.#readStanding(provider, email, known?.id);
    const role = roleForGroups(provider, new Set([...claims.groups, ...(standing?.groups ?? [])]));
    if (role === undefined)
      throw refused(`None of your groups gives you access to ${provider.organisation}. Ask your administrator.`);
    if (known !== undefined) return this.#join(provider, { person: known, isNew: false }, role, returnTo);
    const name = claims.name ?? email.slice(0, email.indexOf("@"));
    const identity = { subject: claims.subject, email, name };
    // A provider is believed for the domains of its own organisation only.
    if (claims.emailVerified === false || !(await domains.covers(accountId, email)))
      return this.#askAddress(provider, identity, role, returnTo, address);
    return this.#join(provider, await this.#linkByAddress(provider, identity, role), role, returnTo);
  }

  /** Refuses people whom the organisation's directory has switched off. */
  async #readStanding({ accountId, organisation }: IdentityProvider, email: string, personId: string | undefined) {
    const standing = await this.#dependencies.standingInDirectory(accountId, email, personId);
    if (standing?.isActive === false)
      throw refused(`Your access to ${organisation} was switched off. Ask your administrator.`);
    return standing;
  }

  async #askAddress(
    provider: IdentityProvider,
    identity: AddressedIdentity,
    role: GivenRole,
    returnTo: string,
    address: string,
  ): Promise<SsoResult> {
    const { attemptLimiter, tokens, mailer, linkTo } = this.#dependencies;
    await attemptLimiter.check("mail", { address, subject: identity.email });
    const token = newToken();
    const data = { ...identity, providerId: provider.id, issuer: provider.issuer, role, returnTo };
    await tokens.put(hashOfToken(token), "sso-address", { personId: undefined, data }, ADDRESS_LINK_SECONDS);
    mailer.send(ssoAddressEmail(identity.email, linkTo("sso/confirm", token)));
    return { confirm: identity.email };
  }

  /** The person of a proven address: the one who has it here, or a new one. */
  async #linkByAddress(
    provider: IdentityProvider,
    { email, subject, name }: AddressedIdentity,
    role: GivenRole,
  ): Promise<LinkedPerson> {
    const { identities, people } = this.#dependencies;
    const { accountId, issuer } = provider;
    const linked = await people.findOrCreate(accountId, { email, name }, role);
    await identities.link({ accountId, issuer, subject }, linked.person.id);
    return linked;
  }

  /** Makes them a member, with the role that the provider gives now. */
  async #join(
    { accountId }: IdentityProvider,
    { person, isNew }: LinkedPerson,
    role: GivenRole,
    returnTo: string,
  ): Promise<SsoLogIn> {
    const hasJoined = await this.#dependencies.memberships.withLock(accountId, async (membership) => {
      const held = await membership.roleOf(person.id);
      if (held === undefined) await membership.join(person, role);
      else if (roleAfterLogIn(held, role) !== held) await membership.changeRole(person.id, role);
      return held === undefined;
    });
    return { person, accountId, returnTo, joinedAs: isNew || hasJoined ? role : undefined };
  }

  #fail(provider: IdentityProvider, error: unknown): never {
    this.#dependencies.onFailure(error, provider);
    throw new Fault(
      "invalid_login",
      `The identity provider of ${provider.organisation} did not log you in: ${describeIssuerFailure(error)}. Try again, or ask your administrator.`,
      {},
      { cause: error },
    );
  }
}

/** What a provider says of a person, with an address. */
interface AddressedIdentity {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

function hashText(text: string): string {
  return hashOfToken(text).toString("base64url");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function pendingOf(data: Readonly<Record<string, unknown>>, state: string): PendingLogIn {
  return {
    state,
    nonce: textOf(data.nonce),
    verifier: textOf(data.verifier),
    redirectUri: textOf(data.redirectUri),
  };
}

function refused(message: string): Fault {
  return new Fault("insufficient_role", message);
}

function expiredLogIn(): Fault {
  return new Fault(
    "invalid_login",
    "This log-in took too long, was used before, or began in another browser. Begin again from the log-in page.",
  );
}
