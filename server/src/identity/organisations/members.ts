import type { Caller, Role } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { hasPermission } from "@trunkline/core/permissions.ts";
import { type Membership, type MembershipLock, personOf, requireRoleManagement } from "./membership.ts";

/** The result of removing a member. */
export interface MemberRemoval {
  readonly member: Member;
  readonly keysRevoked: number;
  /** They left by themselves. */
  readonly left: boolean;
}

/** An organisation's members and their roles. */
export class Members {
  readonly #store: MemberStore;
  readonly #memberships: MembershipLock;
  /** Called after keys were revoked, so that it holds on this instance before the response. */
  readonly #onKeysRevoked: () => void;

  constructor(store: MemberStore, memberships: MembershipLock, onKeysRevoked: () => void) {
    this.#store = store;
    this.#memberships = memberships;
    this.#onKeysRevoked = onKeysRevoked;
  }

  list({ accountId }: Caller, limit: number, cursor: string | undefined): Promise<Member[]> {
    return this.#store.list(accountId, limit, cursor);
  }

  async changeRole(caller: Caller, id: string, role: Role): Promise<{ member: Member; before: Role }> {
    const { accountId } = caller;
    const member = await this.#find(accountId, id);
    const before = await this.#memberships.withLock(accountId, async (membership) => {
      const [own, held] = [await membership.roleOf(personOf(caller).id), await membership.roleOf(id)];
      if (held === undefined) throw noSuchMember();
      requireRoleManagement(own, held);
      requireRoleManagement(own, role);
      if (role !== "owner") await requireAnotherOwner(membership, id, held);
      await membership.changeRole(id, role);
      return held;
    });
    return { member: { ...member, role }, before };
  }

  /** Removes a member. With their own id, the caller leaves. */
  async remove(caller: Caller, id: string, revokeKeys: boolean): Promise<MemberRemoval> {
    const { accountId } = caller;
    const left = personOf(caller).id === id;
    if (revokeKeys && !hasPermission(caller, "keys.change")) {
      throw new Fault(
        "insufficient_role",
        "Your role here may not revoke keys. Leave without, or ask an owner or admin.",
        { param: "revoke_keys" },
      );
    }
    const member = await this.#find(accountId, id);
    const keysRevoked = await this.#memberships.withLock(accountId, async (membership) => {
      const held = await membership.roleOf(id);
      if (held === undefined) throw noSuchMember();
      if (!left) requireRoleManagement(await membership.roleOf(personOf(caller).id), held);
      await requireAnotherOwner(membership, id, held);
      return membership.remove(id, revokeKeys);
    });
    if (keysRevoked > 0) this.#onKeysRevoked();
    return { member, keysRevoked, left };
  }

  async #find(accountId: string, id: string): Promise<Member> {
    const member = isId(id) ? await this.#store.find(accountId, id) : undefined;
    if (member === undefined) throw noSuchMember();
    return member;
  }
}

/** An organisation without an owner could never be managed or closed again. */
async function requireAnotherOwner(membership: Membership, id: string, held: Role): Promise<void> {
  if (held !== "owner" || (await membership.hasOtherOwner(id))) return;
  throw new Fault(
    "conflict",
    "An organisation needs an owner, and this is the last one. Make another member an owner first, or close the organisation.",
  );
}

function noSuchMember(): Fault {
  return new Fault("not_found", "There is no such member. List them with GET /v1/members.");
}

/** A person in an organisation. */
export interface Member {
  /** The person's id. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: Date;
  /** When one of their sessions last used this organisation. */
  readonly lastSeenAt: Date | undefined;
  readonly twoFactor: boolean;
  /** How many active keys of this organisation they created. */
  readonly keys: number;
}

export interface MemberStore {
  /** Newest people first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<Member[]>;
  find(accountId: string, personId: string): Promise<Member | undefined>;
}
