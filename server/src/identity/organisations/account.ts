import type { AlertThresholds } from "@trunkline/core/alerts.ts";
import type { Strategy } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { SafetyRules } from "@trunkline/core/safety-rules.ts";
import type { LearningMode } from "@trunkline/core/service-settings.ts";
import type { StrategyWeights } from "@trunkline/core/weights.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  /** The provider name under which this account's models appear. */
  readonly provider: string;
  readonly operator: boolean;
  readonly strategy: Strategy | undefined;
  readonly keepsContent: boolean;
  /** The IANA zone in which its days begin. */
  readonly timeZone: string;
  readonly alerts: AlertThresholds;
  readonly createdAt: Date;
}

/** What is to be different. What is not given stays; a mark that is there and undefined is lifted. */
export interface AccountChange {
  readonly strategy?: Strategy;
  readonly weights?: StrategyWeights;
  readonly minQuality?: number | undefined;
  readonly learning?: LearningMode;
  readonly safety?: SafetyRules | undefined;
  readonly keepsContent?: boolean;
  readonly timeZone?: string;
  readonly lowBalance?: NanoCredits | undefined;
  readonly budgetThresholds?: readonly number[];
}

export interface AccountStore {
  /** undefined where the provider name is taken. */
  create(account: Account): Promise<Account | undefined>;
  find(id: string): Promise<Account | undefined>;
  change(id: string, change: AccountChange): Promise<void>;
  grant(id: string, amount: NanoCredits, memo: string): Promise<void>;
}
