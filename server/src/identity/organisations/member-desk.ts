import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { hasPower } from "@trunkline/core/permissions.ts";
import type { Role } from "@trunkline/core/role.ts";
import { personOf, requireGovernance } from "./may-govern.ts";
import type { Member, MemberStore } from "./member.ts";
import type { Roll, RollKeeper } from "./roll.ts";

/** What became of somebody who is no member any more. */
export interface Removal {
  readonly member: Member;
  readonly keysRevoked: number;
  /** They went by themselves. */
  readonly left: boolean;
}

/** Who belongs to an organisation, and as what. */
export class MemberDesk {
  readonly #store: MemberStore;
  readonly #rolls: RollKeeper;
  /** Called after keys were revoked, so that this instance holds to it before the answer is given. */
  readonly #keysChanged: () => void;

  constructor(store: MemberStore, rolls: RollKeeper, keysChanged: () => void) {
    this.#store = store;
    this.#rolls = rolls;
    this.#keysChanged = keysChanged;
  }

  list({ accountId }: Caller, limit: number, cursor: string | undefined): Promise<Member[]> {
    return this.#store.list(accountId, limit, cursor);
  }

  async changeRole(caller: Caller, id: string, role: Role): Promise<{ member: Member; before: Role }> {
    const { accountId } = caller;
    const member = await this.#find(accountId, id);
    const before = await this.#rolls.hold(accountId, async (roll) => {
      const [own, held] = [await roll.roleOf(personOf(caller).id), await roll.roleOf(id)];
      if (held === undefined) throw noSuchMember();
      requireGovernance(own, held);
      requireGovernance(own, role);
      if (role !== "owner") await keepOneOwner(roll, id, held);
      await roll.changeRole(id, role);
      return held;
    });
    return { member: { ...member, role }, before };
  }

  /** Removes a member, or lets the caller go who names themselves. */
  async remove(caller: Caller, id: string, revokeKeys: boolean): Promise<Removal> {
    const { accountId } = caller;
    const left = personOf(caller).id === id;
    if (revokeKeys && !hasPower(caller, "keys.change")) {
      throw new Fault(
        "insufficient_role",
        "Your role here may not revoke keys. Leave without, or ask an owner or admin.",
        { param: "revoke_keys" },
      );
    }
    const member = await this.#find(accountId, id);
    const keysRevoked = await this.#rolls.hold(accountId, async (roll) => {
      const held = await roll.roleOf(id);
      if (held === undefined) throw noSuchMember();
      if (!left) requireGovernance(await roll.roleOf(personOf(caller).id), held);
      await keepOneOwner(roll, id, held);
      return roll.remove(id, revokeKeys);
    });
    if (keysRevoked > 0) this.#keysChanged();
    return { member, keysRevoked, left };
  }

  async #find(accountId: string, id: string): Promise<Member> {
    const member = isId(id) ? await this.#store.find(accountId, id) : undefined;
    if (member === undefined) throw noSuchMember();
    return member;
  }
}

/** An organisation without an owner could never be led or closed again. */
async function keepOneOwner(roll: Roll, id: string, held: Role): Promise<void> {
  if (held !== "owner" || (await roll.hasOtherOwner(id))) return;
  throw new Fault(
    "conflict",
    "An organisation needs an owner, and this is the last one. Make somebody else an owner first, or close the organisation.",
  );
}

function noSuchMember(): Fault {
  return new Fault("not_found", "There is no such member. List them with GET /v1/members.");
}
