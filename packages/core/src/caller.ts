import type { DataRules } from "./data-rules.ts";
import type { CacheOptions, Strategy, StrategyWeights } from "./inference.ts";
import type { NanoCredits } from "./money.ts";
import type { Preset } from "./preset.ts";
import type { CallerSafetyRules } from "./safety-policy.ts";
import type { LearningMode } from "./service-settings.ts";

export const SCOPES = ["inference", "read", "manage", "billing", "provider", "directory", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export const BUDGET_PERIODS = ["day", "week", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The periods of an account's budget. */
export const ACCOUNT_BUDGET_PERIODS = ["day", "week", "month"] as const satisfies readonly BudgetPeriod[];

export interface Budget {
  readonly limit: NanoCredits;
  readonly period: BudgetPeriod;
}

/** A member signed in to the dashboard, in one organisation. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly sessionId: string;
  /** The organisation's identity provider opened the session: it reaches this organisation alone, and not the person's own log-in. */
  readonly bySso?: boolean;
}

/** Who sends a request: an API key or a signed-in member, with its permissions and settings. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
  /** The provider name under which this account's models appear. */
  readonly provider: string;
  readonly operator: boolean;
  /** The account can read, but can neither spend nor change anything. */
  readonly suspended: boolean;
  /** The signed-in member; undefined: an API key. */
  readonly person: Person | undefined;
  readonly scopes: ReadonlySet<Scope>;
  /** When the key or its secret ends, milliseconds since 1970; undefined: never. */
  readonly expiresAt?: number | undefined;
  /** undefined: the service's default. */
  readonly requestsPerMinute: number | undefined;
  /** What all keys of the account may send together; undefined: no ceiling, as the operator's. */
  readonly accountRequestsPerMinute: number | undefined;
  /** How many waiting requests of the account begin in a row where accounts take turns. */
  readonly admissionWeight: number;
  readonly budget: Budget | undefined;
  /** What all keys and members of the account may spend together; undefined: as much as there is. */
  readonly accountBudget?: Budget | undefined;
  /** Names or `provider/name`s that this key may use; undefined: all. */
  readonly models: ReadonlySet<string> | undefined;
  /** CIDR ranges that the key may be used from; undefined: any address. */
  readonly ips: readonly string[] | undefined;
  /** What names of its own in `model` stand for; undefined: it has none. */
  readonly presets?: ReadonlyMap<string, Preset> | undefined;
  /** The sites whose pages may use the key; undefined: any. */
  readonly origins?: readonly string[] | undefined;
  /** The key's response cache settings, for requests that do not set their own; undefined: no caching. */
  readonly cache?: CacheOptions | undefined;
  /** The account's routing strategy; undefined: the service's default. */
  readonly strategy: Strategy | undefined;
  /** The account's weights of cost, speed and quality for `hybrid`; undefined: the service's default. */
  readonly weights: StrategyWeights | undefined;
  /** The account's quality floor for `cost-optimized`; undefined: the service's default. */
  readonly minQuality?: number | undefined;
  /** Whether the account's outcomes change its predictions; undefined: the service's default. */
  readonly learning?: LearningMode | undefined;
  /** The safety rules of the account and the key; undefined: none. */
  readonly safety?: CallerSafetyRules | undefined;
  /** A name without its provider may also stand for a model of another account than the operator's. */
  readonly thirdPartyModels?: boolean | undefined;
  /** What may become of the data of its requests, by the account and the key together; undefined: no rule. */
  readonly dataRules?: DataRules | undefined;
  /** The account has turned on storing prompts and outputs. */
  readonly keepsContent: boolean;
  /** The account has its requests logged elsewhere as well. */
  readonly hasLogSinks?: boolean | undefined;
  /** The account has hooks that judge its requests or answers. */
  readonly hasGuardrails?: boolean | undefined;
  /** The account's IANA time zone, in which its days begin. */
  readonly timeZone: string;
}

/** A member's role in an organisation, the most powerful first. */
export const ROLES = ["owner", "admin", "developer", "billing", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** The state of a rate limit, as sent in the headers of every response. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  /** How many more requests are accepted right now. */
  readonly left: number;
  /** Seconds until the full burst is available again. */
  readonly resetSeconds: number;
}
