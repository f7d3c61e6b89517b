import type { Secret } from "@trunkline/core/secret.ts";

export const HOOK_SIDES = ["input", "output"] as const;
/** What a hook is asked about: the request before any provider sees it, or the answer before the client does. */
export type HookSide = (typeof HOOK_SIDES)[number];

export const HOOK_FAILURE_MODES = ["allow", "refuse"] as const;

/** What an account sets of a hook. */
export interface GuardrailHookSettings {
  readonly url: string;
  readonly sides: readonly HookSide[];
  /** How long a request waits for it. */
  readonly timeoutMs: number;
  /** What happens where it does not answer in time or says nothing that is understood. */
  readonly onFailure: (typeof HOOK_FAILURE_MODES)[number];
  readonly description: string;
}

export interface GuardrailHook extends GuardrailHookSettings {
  readonly id: string;
  readonly accountId: string;
  readonly mayDialPrivate: boolean;
  readonly enabled: boolean;
  readonly createdAt: Date;
}

/** A hook with the secret that its calls are signed with; undefined: it can't be decrypted. */
export interface OpenGuardrailHook extends GuardrailHook {
  readonly secret: Secret | undefined;
}

export type GuardrailHookDraft = GuardrailHookSettings & Pick<GuardrailHook, "id" | "accountId" | "mayDialPrivate">;

/** Missing fields stay as they are. */
export type GuardrailHookChange = Partial<GuardrailHookSettings> &
  Partial<Pick<GuardrailHook, "enabled" | "mayDialPrivate">> & { readonly secret?: Secret | undefined };

export interface GuardrailHookStore {
  /** undefined where the account has `most` of them already. */
  create(draft: GuardrailHookDraft, secret: Secret, most: number): Promise<GuardrailHook | undefined>;
  /** Newest first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<GuardrailHook[]>;
  find(accountId: string, id: string): Promise<GuardrailHook | undefined>;
  change(id: string, change: GuardrailHookChange): Promise<void>;
  /** False where there is no such hook. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Those of an account that are switched on, oldest first. */
  open(accountId: string): Promise<OpenGuardrailHook[]>;
  openOne(id: string): Promise<OpenGuardrailHook | undefined>;
}
