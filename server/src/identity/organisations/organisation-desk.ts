import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { formatCredits } from "@trunkline/core/write-credits.ts";
import { personOf } from "./may-govern.ts";
import type { Organisation, OrganisationChange, OrganisationStore } from "./organisation.ts";

const OWNED_MAX = 20;
/** The name of the models inside the service. */
const RESERVED_PROVIDER = "builtin";

/** What the desk is set up with. */
export interface OrganisationsDependencies {
  readonly store: OrganisationStore;
  readonly balanceOf: (accountId: string) => Promise<NanoCredits>;
  /** Whether anyone may open an organisation; where not, only the operator's people may. */
  readonly isSignUpOpen: () => boolean;
  /** Called after keys or models may be other than this instance remembers. */
  readonly onChange: () => Promise<void>;
}

/** An organisation as such: its names, another one, and its end. */
export class Organisations {
  readonly #parts: OrganisationsDependencies;

  constructor(parts: OrganisationsDependencies) {
    this.#parts = parts;
  }

  async find({ accountId }: Pick<Caller, "accountId">): Promise<Organisation> {
    const found = await this.#parts.store.find(accountId);
    if (found === undefined) throw new Error("A caller belongs to no organisation.");
    return found;
  }

  async change(caller: Caller, change: OrganisationChange): Promise<Organisation> {
    const { store, onChange: changed } = this.#parts;
    const isRenamed = change.provider !== undefined && change.provider !== caller.provider;
    if (isRenamed && caller.operator) {
      throw providerConflict("The operator's organisation keeps its provider name.");
    }
    const outcome =
      isRenamed && change.provider === RESERVED_PROVIDER
        ? "taken"
        : await store.change(caller.accountId, change);
    if (outcome === "taken")
      throw providerConflict(`The provider name "${change.provider}" is taken. Choose another.`);
    if (outcome === "has models") {
      throw providerConflict(
        "The provider name can't change any more: models were registered under it, and clients name them by it.",
      );
    }
    await changed();
    return this.find(caller);
  }

  async create(caller: Caller, name: string): Promise<Organisation> {
    const { store, isSignUpOpen: opensToAll } = this.#parts;
    if (!opensToAll() && !caller.operator) {
      throw new Fault("conflict", "This service opens organisations by its operator only. Ask them for one.");
    }
    const id = newId();
    const made = await store.create(
      { id, name, provider: `account-${id.slice(-12)}` },
      personOf(caller),
      OWNED_MAX,
    );
    if (!made) {
      throw new Fault("conflict", `You own ${OWNED_MAX} organisations already. Close one first.`);
    }
    return this.find({ accountId: id });
  }

  /** What is left of the balance stays in the books, but nobody can spend it any more. */
  async close(caller: Caller, forfeit: boolean): Promise<Organisation> {
    const { store, balanceOf, onChange: changed } = this.#parts;
    if (caller.operator) {
      throw new Fault("conflict", "The operator's organisation can't be closed: it runs the service.");
    }
    const organisation = await this.find(caller);
    const balance = await balanceOf(caller.accountId);
    if (balance > 0n && !forfeit) {
      throw new Fault(
        "conflict",
        `There are ${formatCredits(balance)} left. Spend them first, or send \`forfeit=true\` to give them up.`,
        { param: "forfeit" },
      );
    }
    await store.close(caller.accountId);
    await changed();
    return organisation;
  }
}

function providerConflict(message: string): Fault {
  return new Fault("conflict", message, { param: "provider" });
}
