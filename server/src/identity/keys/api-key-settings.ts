import type { Budget, Scope } from "@trunkline/core/caller.ts";
import type { DataRules } from "@trunkline/core/data-rules.ts";
import type { CacheOptions } from "@trunkline/core/inference.ts";
import type { SafetyRules } from "@trunkline/core/safety-policy.ts";

/** What a key may do, as its owner set it. */
export interface ApiKeySettings {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly budget: Budget | undefined;
  readonly models: readonly string[] | undefined;
  readonly ips: readonly string[] | undefined;
  /** The sites whose pages may use it; undefined: as its account says, none for a key that may change things. */
  readonly origins?: readonly string[] | undefined;
  /** How its answers are cached; undefined: not at all, unless a request allows it. */
  readonly cache?: CacheOptions | undefined;
  /** What may become of the data of its requests, besides its account's rules; undefined: no rule of its own. */
  readonly dataRules?: DataRules | undefined;
  /** Its safety rules, merged over its account's. */
  readonly safety?: SafetyRules | undefined;
}
