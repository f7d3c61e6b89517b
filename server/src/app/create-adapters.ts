import type { Adapter } from "@trunkline/core/adapter.ts";
import type { Model } from "@trunkline/core/model.ts";
import { type Builtin, builtinAdapter } from "@trunkline/local-models/builtin/builtin.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { anthropicFormat } from "@trunkline/providers/formats/anthropic/format.ts";
import { bedrockFormat } from "@trunkline/providers/formats/bedrock/format.ts";
import { cohereFormat } from "@trunkline/providers/formats/cohere/format.ts";
import { geminiFormat } from "@trunkline/providers/formats/gemini/format.ts";
import { nativeFormat } from "@trunkline/providers/formats/native/format.ts";
import { openAiFormat } from "@trunkline/providers/formats/openai/format.ts";
import { httpAdapter } from "@trunkline/providers/http/http-adapter.ts";

/** Creates the adapter of each wire format. */
export function createAdapters(dialer: Dialer, builtins: readonly Builtin[]): Readonly<Record<Model["wire"], Adapter>> {
  return {
    trunkline: httpAdapter(dialer, nativeFormat),
    openai: httpAdapter(dialer, openAiFormat),
    anthropic: httpAdapter(dialer, anthropicFormat),
    gemini: httpAdapter(dialer, geminiFormat),
    bedrock: httpAdapter(dialer, bedrockFormat()),
    cohere: httpAdapter(dialer, cohereFormat),
    builtin: builtinAdapter(builtins),
  };
}
