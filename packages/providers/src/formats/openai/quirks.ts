/** A field that one provider has no use for, by the name under which it is reported as dropped. */
export type OptionalField =
  | "frequency_penalty"
  | "json_schema"
  | "logprobs"
  | "n"
  | "parallel_tool_calls"
  | "presence_penalty"
  | "seed"
  | "stream_options"
  | "tool_choice";

/** In what a provider differs from the usual one of its wire. */
export interface Quirks {
  /** Under which name the longest answer is asked for. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** How the credential is shown; undefined: as the model says. */
  readonly credentialHeader?: "api-key" | undefined;
  /** What it refuses or ignores: left out, and said so. */
  readonly unsupported: ReadonlySet<OptionalField>;
  /** Which fields of a client's own it lets pass; undefined: it ignores what it does not know. */
  readonly allowsField?: ((field: string) => boolean) | undefined;
  /** It tells messages of the developer from those of the system. */
  readonly developerRole?: boolean | undefined;
  /** It samples from the likeliest words only, if asked to. */
  readonly topK?: boolean | undefined;
  /** The name of its seed, where that is another. */
  readonly seedField?: "random_seed" | undefined;
  /** It knows where a client wants its cache to begin. */
  readonly cacheControl?: boolean | undefined;
  /** It wants back what its model thought. */
  readonly reasoningContent?: boolean | undefined;
  /** How it is told for how many tokens to think at most. */
  readonly thinkingBudget?: "reasoning" | "thinking_budget" | undefined;
  /** It fetches files from the web by itself. */
  readonly fileUrls?: boolean | undefined;
  /** Its ids of tool calls are nine letters or digits, and others are refused. */
  readonly shortCallIds?: boolean | undefined;
  /** It can be asked by deployment, with the version of its API as a query. */
  readonly deployments?: boolean | undefined;
}

/** What is expected of a provider that nobody has written down. */
export const DEFAULT_QUIRKS: Quirks = { maxTokensField: "max_tokens", unsupported: new Set() };
