import type { AuthType, CallLimits, ModelType } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** An endpoint and what its provider says about it. */
export interface ConformanceTarget {
  readonly endpoint: string;
  readonly authType: AuthType;
  readonly credential: Secret | undefined;
  readonly type: ModelType;
  readonly streaming: boolean;
  readonly mayDialPrivate: boolean;
  readonly limits: CallLimits;
}
