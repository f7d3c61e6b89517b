import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { MembershipLock } from "../organisations/membership.ts";
import type { EmailDomains } from "../sso/email-domains.ts";
import { type IdentityProviderStore, roleAfterLogIn, roleForGroups } from "../sso/identity-provider.ts";
import type { AddressedPeople } from "../sso/person-by-address.ts";
import {
  type DirectoryGroupDraft,
  type DirectoryUserDraft,
  patchGroup,
  patchUser,
  readGroup,
  readUser,
} from "./directory-resources.ts";
import type { ScimFilter } from "./scim-filter.ts";
import { readPatch } from "./scim-patch.ts";

export interface DirectoryUser extends DirectoryUserDraft {
  readonly id: string;
  readonly personId: string | undefined;
  readonly groups: readonly { readonly id: string; readonly displayName: string }[];
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface DirectoryGroup extends DirectoryGroupDraft {
  readonly id: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** A page of a list: `startIndex` counts from 1. */
export interface DirectoryQuery {
  readonly filter: ScimFilter | undefined;
  readonly startIndex: number;
  readonly count: number;
}

export interface DirectoryPage<Resource> {
  readonly total: number;
  readonly resources: readonly Resource[];
}

/** Every method is bound to one organisation: what another one's directory has sent does not exist for it. */
export interface DirectoryStore {
  listUsers(accountId: string, query: DirectoryQuery): Promise<DirectoryPage<DirectoryUser>>;
  findUser(accountId: string, id: string): Promise<DirectoryUser | undefined>;
  /** Creates or replaces it. False where another user has the name or the address. */
  saveUser(accountId: string, id: string, draft: DirectoryUserDraft): Promise<boolean>;
  setPerson(accountId: string, id: string, personId: string): Promise<void>;
  removeUser(accountId: string, id: string): Promise<void>;
  listGroups(accountId: string, query: DirectoryQuery): Promise<DirectoryPage<DirectoryGroup>>;
  findGroup(accountId: string, id: string): Promise<DirectoryGroup | undefined>;
  /** Creates or replaces it. Members that are no users of the organisation are left out. False where the name is taken. */
  saveGroup(accountId: string, id: string, draft: DirectoryGroupDraft): Promise<boolean>;
  removeGroup(accountId: string, id: string): Promise<void>;
}

interface DirectoryDependencies {
  readonly store: DirectoryStore;
  readonly providers: IdentityProviderStore;
  readonly domains: EmailDomains;
  readonly people: AddressedPeople;
  readonly memberships: MembershipLock;
  readonly onKeysRevoked: () => void;
}

type Tenant = Pick<Caller, "accountId">;

/** The people and groups that an organisation's own directory manages here, by SCIM. */
export class Directory {
  readonly #dependencies: DirectoryDependencies;

  constructor(dependencies: DirectoryDependencies) {
    this.#dependencies = dependencies;
  }

  listUsers({ accountId }: Tenant, query: DirectoryQuery): Promise<DirectoryPage<DirectoryUser>> {
    return this.#dependencies.store.listUsers(accountId, query);
  }

  async findUser({ accountId }: Tenant, id: string): Promise<DirectoryUser> {
    const user = isId(id) ? await this.#dependencies.store.findUser(accountId, id) : undefined;
    if (user === undefined) throw new Fault("not_found", "Your directory has sent no such user.");
    return user;
  }

  createUser(tenant: Tenant, body: unknown): Promise<DirectoryUser> {
    return this.#saveUser(tenant, newId(), readUser(body));
  }

  async replaceUser(tenant: Tenant, id: string, body: unknown): Promise<DirectoryUser> {
    await this.findUser(tenant, id);
    return this.#saveUser(tenant, id, readUser(body));
  }

  async patchUser(tenant: Tenant, id: string, body: unknown): Promise<DirectoryUser> {
    return this.#saveUser(tenant, id, patchUser(await this.findUser(tenant, id), readPatch(body)));
  }

  /** Ends the person's access to the organisation, then forgets the user. */
  async removeUser(tenant: Tenant, id: string): Promise<DirectoryUser> {
    const user = await this.findUser(tenant, id);
    await this.#endAccess(tenant, user);
    await this.#dependencies.store.removeUser(tenant.accountId, id);
    return user;
  }

  listGroups({ accountId }: Tenant, query: DirectoryQuery): Promise<DirectoryPage<DirectoryGroup>> {
    return this.#dependencies.store.listGroups(accountId, query);
  }

  async findGroup({ accountId }: Tenant, id: string): Promise<DirectoryGroup> {
    const group = isId(id) ? await this.#dependencies.store.findGroup(accountId, id) : undefined;
    if (group === undefined) throw new Fault("not_found", "Your directory has sent no such group.");
    return group;
  }

  createGroup(tenant: Tenant, body: unknown): Promise<DirectoryGroup> {
    return this.#saveGroup(tenant, newId(), readGroup(body), []);
  }

  async replaceGroup(tenant: Tenant, id: string, body: unknown): Promise<DirectoryGroup> {
    const before = await this.findGroup(tenant, id);
    return this.#saveGroup(tenant, id, readGroup(body), before.memberIds);
  }

  async patchGroup(tenant: Tenant, id: string, body: unknown): Promise<DirectoryGroup> {
    const before = await this.findGroup(tenant, id);
    return this.#saveGroup(tenant, id, patchGroup(before, readPatch(body)), before.memberIds);
  }

  async removeGroup(tenant: Tenant, id: string): Promise<DirectoryGroup> {
    const group = await this.findGroup(tenant, id);
    await this.#dependencies.store.removeGroup(tenant.accountId, id);
    await this.#applyAll(tenant, group.memberIds);
    return group;
  }

  async #saveUser(tenant: Tenant, id: string, draft: DirectoryUserDraft): Promise<DirectoryUser> {
    const { store, domains } = this.#dependencies;
    // A directory speaks for its own addresses. Otherwise it could make itself the people of other organisations.
    if (!(await domains.covers(tenant.accountId, draft.email)))
      throw new Fault(
        "invalid_request",
        `The domain of ${draft.email} is not verified for your organisation. Verify it under Settings, Single sign-on.`,
        { param: "emails" },
      );
    if (!(await store.saveUser(tenant.accountId, id, draft)))
      throw new Fault("conflict", "Another user of your directory has this name or address.", { param: "userName" });
    await this.#apply(tenant, id);
    return this.findUser(tenant, id);
  }

  async #saveGroup(
    tenant: Tenant,
    id: string,
    draft: DirectoryGroupDraft,
    memberIdsBefore: readonly string[],
  ): Promise<DirectoryGroup> {
    const ids = draft.memberIds.filter(isId);
    if (!(await this.#dependencies.store.saveGroup(tenant.accountId, id, { ...draft, memberIds: ids })))
      throw new Fault("conflict", "Another group of your directory has this name.", { param: "displayName" });
    await this.#applyAll(tenant, [...new Set([...memberIdsBefore, ...ids])]);
    return this.findGroup(tenant, id);
  }

  async #applyAll(tenant: Tenant, userIds: readonly string[]): Promise<void> {
    for (const id of userIds) await this.#apply(tenant, id);
  }

  /** Makes a user a member with the role of their groups, or ends their access. */
  async #apply(tenant: Tenant, userId: string): Promise<void> {
    const { store, providers, people, memberships } = this.#dependencies;
    const { accountId } = tenant;
    const user = await store.findUser(accountId, userId);
    if (user === undefined) return;
    const settings = (await providers.findByAccount(accountId)) ?? { roleRules: [], defaultRole: "viewer" as const };
    const role = roleForGroups(settings, new Set(user.groups.map(({ displayName }) => displayName)));
    if (!user.active || role === undefined) return this.#endAccess(tenant, user);
    const { person } = await people.findOrCreate(accountId, { email: user.email, name: nameOf(user) }, role);
    if (user.personId !== undefined && user.personId !== person.id) await this.#endAccess(tenant, user);
    await store.setPerson(accountId, userId, person.id);
    await memberships.withLock(accountId, async (membership) => {
      const held = await membership.roleOf(person.id);
      if (held === undefined) await membership.join(person, role);
      else if (roleAfterLogIn(held, role) !== held) await membership.changeRole(person.id, role);
    });
  }

  /** Their sessions in the organisation end, and the keys that they made are revoked. The last owner stays. */
  async #endAccess({ accountId }: Tenant, { personId }: DirectoryUser): Promise<void> {
    if (personId === undefined) return;
    const { memberships, onKeysRevoked } = this.#dependencies;
    await memberships.withLock(accountId, async (membership) => {
      const held = await membership.roleOf(personId);
      if (held === undefined) return;
      if (held === "owner" && !(await membership.hasOtherOwner(personId)))
        throw new Fault(
          "conflict",
          "This is the last owner of the organisation. Make another person an owner first, in the dashboard.",
        );
      await membership.remove(personId, true);
    });
    onKeysRevoked();
  }
}

function nameOf({ displayName, givenName, familyName, email }: DirectoryUser): string {
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(" ");
  return (displayName ?? (parts === "" ? email.slice(0, email.indexOf("@")) : parts)).slice(0, 100);
}
