import { ROLES, type Role } from "@trunkline/core/caller.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { PersonRecord } from "../people/person.ts";

/** The roles that an identity provider can give. Owners are made by owners alone. */
export const GIVEN_ROLES = ["admin", "developer", "billing", "viewer"] as const satisfies readonly Role[];
export type GivenRole = (typeof GIVEN_ROLES)[number];

/** Members of a group get a role. */
export interface RoleRule {
  readonly group: string;
  readonly role: GivenRole;
}

/** How an organisation's members log in at their identity provider. */
export interface IdentityProviderSettings {
  /** What people enter to find it, beside their e-mail address. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** undefined: a public client, protected by PKCE alone. */
  readonly clientSecret: Secret | undefined;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  readonly roleRules: readonly RoleRule[];
  /** The role of people in none of these groups; undefined: they are refused. */
  readonly defaultRole: GivenRole | undefined;
}

export interface IdentityProvider extends IdentityProviderSettings {
  readonly id: string;
  readonly accountId: string;
  /** The organisation's name. */
  readonly organisation: string;
}

export interface IdentityProviderStore {
  find(id: string): Promise<IdentityProvider | undefined>;
  findByAccount(accountId: string): Promise<IdentityProvider | undefined>;
  findByName(name: string): Promise<IdentityProvider | undefined>;
  /** The identity provider of the organisation that has verified a domain. */
  findByDomain(domain: string): Promise<IdentityProvider | undefined>;
  /** False where another organisation has the name. */
  save(id: string, accountId: string, settings: IdentityProviderSettings): Promise<boolean>;
  /** Removes it with all that it said of people. Enforcement ends, too. */
  remove(accountId: string): Promise<void>;
  isEnforced(accountId: string): Promise<boolean>;
  setEnforced(accountId: string, enforced: boolean): Promise<void>;
}

/** A person as an organisation's identity provider knows them. */
export interface ExternalIdentity {
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
}

export interface ExternalIdentityStore {
  findPerson(identity: ExternalIdentity): Promise<PersonRecord | undefined>;
  link(identity: ExternalIdentity, personId: string): Promise<void>;
  /**
   * Takes away every way in that was there before the address was proven: password, passkeys, second factor, wallets and
   * sessions. From then on the address counts as verified.
   */
  resetUnverifiedPerson(personId: string): Promise<void>;
}

/** The most powerful role that the groups give; undefined: no access. */
export function roleForGroups(
  { roleRules, defaultRole }: Pick<IdentityProviderSettings, "roleRules" | "defaultRole">,
  groups: ReadonlySet<string>,
): GivenRole | undefined {
  const given = new Set<Role>(roleRules.filter(({ group }) => groups.has(group)).map(({ role }) => role));
  return GIVEN_ROLES.find((role) => given.has(role)) ?? defaultRole;
}

/** The role of a member after a log-in: owners stay owners, all others have what the provider gives. */
export function roleAfterLogIn(held: Role | undefined, given: GivenRole): Role {
  return held === ROLES[0] ? held : given;
}
