import type { Model } from "../domain/model.ts";
import type { Dialer } from "../kit/dialer.ts";
import type { Adapter } from "./adapter.ts";
import { anthropicFormat } from "./anthropic/format.ts";
import { bedrockFormat } from "./bedrock/format.ts";
import { builtinAdapter } from "./builtin/adapter.ts";
import type { Builtin } from "./builtin/builtin.ts";
import { cohereFormat } from "./cohere/format.ts";
import { contractFormat } from "./contract/format.ts";
import { geminiFormat } from "./gemini/format.ts";
import { httpAdapter } from "./http/adapter.ts";
import { openAiFormat } from "./openai/format.ts";

/** How each kind of model is talked to. */
export function openAdapters(
  dialer: Dialer,
  builtins: readonly Builtin[],
): Readonly<Record<Model["wire"], Adapter>> {
  return {
    trunkline: httpAdapter(dialer, contractFormat),
    openai: httpAdapter(dialer, openAiFormat),
    anthropic: httpAdapter(dialer, anthropicFormat),
    gemini: httpAdapter(dialer, geminiFormat),
    bedrock: httpAdapter(dialer, bedrockFormat()),
    cohere: httpAdapter(dialer, cohereFormat),
    builtin: builtinAdapter(builtins),
  };
}
