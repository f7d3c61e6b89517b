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
  /** Replaces it by what `change` makes of it, while no other change of it comes between. Does nothing where it is gone. */
  changeUser(accountId: string, id: string, change: (user: DirectoryUser) => DirectoryUserDraft): Promise<boolean>;
  /** Those of the ids that are users of the organisation. */
  existingUsers(accountId: string, ids: readonly string[]): Promise<string[]>;
  setPerson(accountId: string, id: string, personId: string): Promise<void>;
  removeUser(accountId: string, id: string): Promise<void>;
  listGroups(accountId: string, query: DirectoryQuery): Promise<DirectoryPage<DirectoryGroup>>;
  findGroup(accountId: string, id: string): Promise<DirectoryGroup | undefined>;
  /** Creates or replaces it. Members that are no users of the organisation are left out. False where the name is taken. */
  saveGroup(accountId: string, id: string, draft: DirectoryGroupDraft): Promise<boolean>;
  changeGroup(accountId: string, id: string, change: (group: DirectoryGroup) => DirectoryGroupDraft): Promise<boolean>;
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

  async createUser(tenant: Tenant, body: unknown): Promise<DirectoryUser> {
    const id = newId();
    const draft = readUser(body);
    await this.#requireOwnDomain(tenant, draft);
    const isSaved = await this.#dependencies.store.saveUser(tenant.accountId, id, draft);
    return this.#applySaved(tenant, id, isSaved);
  }

  async replaceUser(tenant: Tenant, id: string, body: unknown): Promise<DirectoryUser> {
    const draft = readUser(body);
    return this.#changeUser(tenant, id, () => draft);
  }

  async patchUser(tenant: Tenant, id: string, body: unknown): Promise<DirectoryUser> {
    const changes = readPatch(body);
    return this.#changeUser(tenant, id, (user) => patchUser(user, changes));
  }

  async #changeUser(
    tenant: Tenant,
    id: string,
    change: (user: DirectoryUser) => DirectoryUserDraft,
  ): Promise<DirectoryUser> {
    // An address that another change brings meanwhile was checked by that one.
    await this.#requireOwnDomain(tenant, change(await this.findUser(tenant, id)));
    const isSaved = await this.#dependencies.store.changeUser(tenant.accountId, id, change);
    return this.#applySaved(tenant, id, isSaved);
  }

  async #applySaved(tenant: Tenant, id: string, isSaved: boolean): Promise<DirectoryUser> {
    if (!isSaved)
      throw new Fault("conflict", "Another user of your directory has this name or address.", { param: "userName" });
    await this.#apply(tenant, id);
    return this.findUser(tenant, id);
  }

  /** A directory speaks for its own addresses. Otherwise it could make itself the people of other organisations. */
  async #requireOwnDomain(tenant: Tenant, draft: DirectoryUserDraft): Promise<void> {
    if (await this.#dependencies.domains.covers(tenant.accountId, draft.email)) return;
    throw new Fault(
      "invalid_request",
      `The domain of ${draft.email} is not verified for your organisation. Verify it under Settings, Single sign-on.`,
      { param: "emails" },
    );
  }

  /** Ends the person's access to the organisation, then forgets the user. */
  async removeUser(tenant: Tenant, id: string): Promise<DirectoryUser> {
    const user = await this.findUser(tenant, id);
    await this.#endAccess(tenant, user.personId);
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

  async createGroup(tenant: Tenant, body: unknown): Promise<DirectoryGroup> {
    const id = newId();
    const draft = withIds(readGroup(body));
    const isSaved = await this.#dependencies.store.saveGroup(tenant.accountId, id, draft);
    return this.#applyGroup(tenant, id, isSaved, draft.memberIds);
  }

  async replaceGroup(tenant: Tenant, id: string, body: unknown): Promise<DirectoryGroup> {
    const draft = withIds(readGroup(body));
    const touched = new Set(draft.memberIds);
    return this.#changeGroup(tenant, id, touched, ({ memberIds }) => {
      for (const member of memberIds) touched.add(member);
      return draft;
    });
  }

  async patchGroup(tenant: Tenant, id: string, body: unknown): Promise<DirectoryGroup> {
    const changes = readPatch(body);
    const touched = new Set<string>();
    return this.#changeGroup(tenant, id, touched, (before) => {
      const draft = withIds(patchGroup(before, changes, touched));
      // Roles go by the names of groups.
      if (draft.displayName !== before.displayName)
        for (const member of [...before.memberIds, ...draft.memberIds]) touched.add(member);
      return draft;
    });
  }

  /** Only the members that a change names are applied again: a group may have thousands. */
  async #changeGroup(
    tenant: Tenant,
    id: string,
    touched: ReadonlySet<string>,
    change: (before: DirectoryGroup) => DirectoryGroupDraft,
  ): Promise<DirectoryGroup> {
    await this.findGroup(tenant, id);
    const isSaved = await this.#dependencies.store.changeGroup(tenant.accountId, id, change);
    return this.#applyGroup(tenant, id, isSaved, [...touched]);
  }

  async #applyGroup(tenant: Tenant, id: string, isSaved: boolean, touched: readonly string[]): Promise<DirectoryGroup> {
    if (!isSaved)
      throw new Fault("conflict", "Another group of your directory has this name.", { param: "displayName" });
    const ids = await this.#dependencies.store.existingUsers(tenant.accountId, touched.filter(isId));
    await this.#applyAll(tenant, ids);
    return this.findGroup(tenant, id);
  }

  async removeGroup(tenant: Tenant, id: string): Promise<DirectoryGroup> {
    const group = await this.findGroup(tenant, id);
    await this.#dependencies.store.removeGroup(tenant.accountId, id);
    await this.#applyAll(tenant, group.memberIds);
    return group;
  }

  async #applyAll(tenant: Tenant, userIds: readonly string[]): Promise<void> {
    for (const id of userIds) await this.#apply(tenant, id);
  }

  /**
   * Makes a user a member with the role of their groups, or ends their access. Where the user is changed meanwhile, it is
   * done again: what was read before must not stand against a later change, such as that they were switched off.
   */
  async #apply(tenant: Tenant, userId: string): Promise<void> {
    const { store } = this.#dependencies;
    let user = await store.findUser(tenant.accountId, userId);
    while (user !== undefined) {
      const personId = await this.#applyUser(tenant, user);
      const now = await store.findUser(tenant.accountId, userId);
      if (now === undefined) await this.#endAccess(tenant, personId);
      else if (standingOf(now) === standingOf(user)) return;
      user = now;
    }
  }

  /** Returns the person that the user is. */
  async #applyUser(tenant: Tenant, user: DirectoryUser): Promise<string | undefined> {
    const { store, providers, people, memberships } = this.#dependencies;
    const { accountId } = tenant;
    const settings = (await providers.findByAccount(accountId)) ?? { roleRules: [], defaultRole: "viewer" as const };
    const role = roleForGroups(settings, new Set(user.groups.map(({ displayName }) => displayName)));
    if (!user.active || role === undefined) {
      await this.#endAccess(tenant, user.personId);
      return user.personId;
    }
    const { person } = await people.findOrCreate(accountId, { email: user.email, name: nameOf(user) }, role);
    if (user.personId !== undefined && user.personId !== person.id) await this.#endAccess(tenant, user.personId);
    await store.setPerson(accountId, user.id, person.id);
    await memberships.withLock(accountId, async (membership) => {
      const held = await membership.roleOf(person.id);
      if (held === undefined) await membership.join(person, role);
      else if (roleAfterLogIn(held, role) !== held) await membership.changeRole(person.id, role);
    });
    return person.id;
  }

  /** Their sessions in the organisation end, and the keys that they made are revoked. The last owner stays. */
  async #endAccess({ accountId }: Tenant, personId: string | undefined): Promise<void> {
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

/** What a user's membership depends on. */
function standingOf({ active, email, groups }: DirectoryUser): string {
  return JSON.stringify([active, email, groups]);
}

/** Without members that can't be users of this service. */
function withIds(draft: DirectoryGroupDraft): DirectoryGroupDraft {
  return { ...draft, memberIds: draft.memberIds.filter(isId) };
}

function nameOf({ displayName, givenName, familyName, email }: DirectoryUser): string {
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(" ");
  return (displayName ?? (parts === "" ? email.slice(0, email.indexOf("@")) : parts)).slice(0, 100);
}
