import type { CacheOptions, Strategy, StrategyWeights } from "./inference.ts";
import type { NanoCredits } from "./money.ts";
import type { CallerSafetyRules } from "./safety-policy.ts";
import type { LearningMode } from "./service-settings.ts";

export const SCOPES = ["inference", "read", "manage", "billing", "provider", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export const BUDGET_PERIODS = ["day", "week", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export interface Budget {
  readonly limit: NanoCredits;
  readonly period: BudgetPeriod;
}

/** A member at the dashboard, acting in one organisation. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly sessionId: string;
}

/** Who is asking: one key of one account, with what it may do. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
  /** The provider name under which this account's models appear. */
  readonly provider: string;
  readonly operator: boolean;
  /** The account may look, but neither spend nor change anything. */
  readonly suspended: boolean;
  /** Who is at the dashboard; undefined: a key came by itself. */
  readonly person: Person | undefined;
  readonly scopes: ReadonlySet<Scope>;
  /** undefined: the service's default. */
  readonly requestsPerMinute: number | undefined;
  readonly budget: Budget | undefined;
  /** Names or `provider/name`s this key may use; undefined: all. */
  readonly models: ReadonlySet<string> | undefined;
  /** Address ranges in CIDR form it may come from; undefined: anywhere. */
  readonly ips: readonly string[] | undefined;
  /** For how long this key's answers may be given again, where a request does not say otherwise; undefined: never. */
  readonly cache?: CacheOptions | undefined;
  /** The account's routing strategy; undefined: the service's default. */
  readonly strategy: Strategy | undefined;
  /** How the account weighs cost, speed and quality in `hybrid`; undefined: as the service does. */
  readonly weights: StrategyWeights | undefined;
  /** What the account asks of a model's quality before it is chosen by its cost; undefined: what the service does. */
  readonly minQuality?: number | undefined;
  /** Whether the account's outcomes change what is predicted for it; undefined: as the service has it. */
  readonly learning?: LearningMode | undefined;
  /** What the account and its key say of safety; undefined: nothing. */
  readonly safety?: CallerSafetyRules | undefined;
  /** The account has asked that prompts and outputs be kept. */
  readonly keepsContent: boolean;
  /** The account's IANA zone, in which its days begin. */
  readonly timeZone: string;
}

/** What a member may be in an organisation, mightiest first. */
export const ROLES = ["owner", "admin", "developer", "billing", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** Where a key stands with its rate limit; told in the headers of every answer. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  /** How many more may be sent at once. */
  readonly left: number;
  /** When the whole burst is there again. */
  readonly resetSeconds: number;
}
