import type { Secret } from "@trunkline/core/secret.ts";

export const HOOK_SIDES = ["input", "output"] as const;
/** What a hook is asked about: the request before any provider sees it, or the answer before the client does. */
export type HookSide = (typeof HOOK_SIDES)[number];

export const HOOK_FAILURE_MODES = ["allow", "refuse"] as const;

export const HOOK_STREAM_MODES = ["whole", "sections"] as const;
/** What a hook is asked about a streamed answer: all of it at its end, or one section after the other while it comes. */
export type HookStreamMode = (typeof HOOK_STREAM_MODES)[number];

/** The least, the usual and the most characters after which a section of a streamed answer may end. */
export const SECTION_CHARACTERS = { least: 50, usual: 500, most: 20_000 } as const;

/** What an account sets of a hook. */
export interface GuardrailHookSettings {
  readonly url: string;
  readonly sides: readonly HookSide[];
  /** How long a request waits for it. */
  readonly timeoutMs: number;
  /** What happens where it does not answer in time or says nothing that is understood. */
  readonly onFailure: (typeof HOOK_FAILURE_MODES)[number];
  readonly stream: HookStreamMode;
  /** A section of a stream ends with the first sentence that ends after this many characters. */
  readonly sectionCharacters: number;
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
