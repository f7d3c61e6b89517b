import type { AlertThresholds } from "@trunkline/core/alerts.ts";
import type { Budget, Caller } from "@trunkline/core/caller.ts";
import type { DataRules } from "@trunkline/core/data-rules.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Strategy, StrategyWeights } from "@trunkline/core/inference.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import type { SafetyRules } from "@trunkline/core/safety-policy.ts";
import type { LearningMode } from "@trunkline/core/service-settings.ts";
import { standingOfProviderName } from "@trunkline/providers/discovery/provider-names.ts";
import { personOf } from "./membership.ts";

const OWNED_MAX = 20;

interface OrganisationsDependencies {
  readonly store: OrganisationStore;
  readonly balanceOf: (accountId: string) => Promise<NanoCredits>;
  /** Whether anyone may create an organisation; otherwise only the operator's people may. */
  readonly isSignUpOpen: () => boolean;
  /** Called after a change that makes this instance's cached keys or models stale. */
  readonly onChange: () => Promise<void>;
}

/** Renames, creates and closes organisations. */
export class Organisations {
  readonly #dependencies: OrganisationsDependencies;

  constructor(dependencies: OrganisationsDependencies) {
    this.#dependencies = dependencies;
  }

  async find({ accountId }: Pick<Caller, "accountId">): Promise<Organisation> {
    const found = await this.#dependencies.store.find(accountId);
    if (found === undefined) throw new Error("A caller belongs to no organisation.");
    return found;
  }

  async change(caller: Caller, change: OrganisationChange): Promise<Organisation> {
    const { store, onChange } = this.#dependencies;
    const isRenamed = change.provider !== undefined && change.provider !== caller.provider;
    if (isRenamed && caller.operator) {
      throw providerConflict("The operator's organisation keeps its provider name.");
    }
    if (isRenamed && standingOfProviderName(change.provider) !== "free") {
      throw providerConflict(
        `The provider name "${change.provider}" could be mistaken for a known provider or for this service. Choose another, or ask the service's operator for it.`,
      );
    }
    const outcome = await store.change(caller.accountId, change);
    if (outcome === "taken") throw providerConflict(`The provider name "${change.provider}" is taken. Choose another.`);
    if (outcome === "has models") {
      throw providerConflict(
        "The provider name can't change any more: models were registered under it, and clients name them by it.",
      );
    }
    await onChange();
    return this.find(caller);
  }

  async create(caller: Caller, name: string): Promise<Organisation> {
    const { store, isSignUpOpen } = this.#dependencies;
    if (!isSignUpOpen() && !caller.operator) {
      throw new Fault("conflict", "This service opens organisations by its operator only. Ask them for one.");
    }
    const id = newId();
    const isCreated = await store.create({ id, name, provider: defaultProviderName(id) }, personOf(caller), OWNED_MAX);
    if (!isCreated) {
      throw new Fault("conflict", `You own ${OWNED_MAX} organisations already. Close one first.`);
    }
    return this.find({ accountId: id });
  }

  /** The remaining balance stays in the ledger but can't be spent any more. */
  async close(caller: Caller, forfeit: boolean): Promise<Organisation> {
    const { store, balanceOf, onChange } = this.#dependencies;
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
    await onChange();
    return organisation;
  }
}

/** The provider name of an account that has not chosen one. */
export function defaultProviderName(accountId: string): string {
  return `account-${accountId.slice(-12)}`;
}

function providerConflict(message: string): Fault {
  return new Fault("conflict", message, { param: "provider" });
}

/** An account as its members see it. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** The name under which its models appear. */
  readonly provider: string;
  readonly operator: boolean;
  readonly suspended: boolean;
  /** It has or had models. Their usage stays under the provider's name. */
  readonly hasModels: boolean;
  readonly createdAt: Date;
}

/** Missing fields stay as they are. */
export interface OrganisationChange {
  readonly name?: string | undefined;
  readonly provider?: string | undefined;
}

export interface OrganisationStore {
  find(id: string): Promise<Organisation | undefined>;
  change(id: string, change: OrganisationChange): Promise<"changed" | "taken" | "has models">;
  /** The owner's session switches to it. False where they own `ownedMax` organisations already. */
  create(
    draft: { readonly id: string; readonly name: string; readonly provider: string },
    owner: { readonly id: string; readonly email: string; readonly sessionId: string },
    ownedMax: number,
  ): Promise<boolean>;
  /** Revokes its keys and invitations, removes its members, stops its webhooks and withdraws its models. */
  close(id: string): Promise<void>;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  /** The provider name under which this account's models appear. */
  readonly provider: string;
  readonly operator: boolean;
  readonly strategy: Strategy | undefined;
  readonly keepsContent: boolean;
  /** Whether a name without its provider may stand for another account's model. */
  readonly thirdPartyModels: boolean;
  /** The sites whose pages may use its keys; undefined: any. */
  readonly origins?: readonly string[] | undefined;
  /** What may become of the data of its requests; undefined: no rule. */
  readonly dataRules?: DataRules | undefined;
  /** The IANA zone of its days. */
  readonly timeZone: string;
  readonly alerts: AlertThresholds;
  /** What all its keys and members may spend together; undefined: as much as there is. */
  readonly budget?: Budget | undefined;
  readonly createdAt: Date;
}

/** Missing fields stay as they are; a field set to undefined is cleared. */
export interface AccountChange {
  readonly strategy?: Strategy;
  readonly weights?: StrategyWeights;
  readonly minQuality?: number | undefined;
  readonly learning?: LearningMode;
  readonly safety?: SafetyRules | undefined;
  readonly keepsContent?: boolean;
  readonly thirdPartyModels?: boolean;
  readonly origins?: readonly string[] | undefined;
  /** What may become of the data of its requests; undefined: no rule. */
  readonly dataRules?: DataRules | undefined;
  readonly timeZone?: string;
  readonly lowBalance?: NanoCredits | undefined;
  readonly budgetThresholds?: readonly number[];
  readonly alertEmail?: boolean;
}

export interface AccountStore {
  /** undefined where the provider name is taken. */
  create(account: Account): Promise<Account | undefined>;
  find(id: string): Promise<Account | undefined>;
  change(id: string, change: AccountChange): Promise<void>;
  grant(id: string, amount: NanoCredits, memo: string): Promise<void>;
}
