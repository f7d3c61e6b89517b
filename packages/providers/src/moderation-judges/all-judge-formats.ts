import { azureContentSafety, azurePromptShield } from "./azure-content-safety.ts";
import type { JudgeFormat } from "./judge-format.ts";
import { llamaGuardChat } from "./llama-guard.ts";
import { mistralModeration, openAiModeration } from "./openai-moderation.ts";
import { trunklineSafetyCheck } from "./trunkline-check.ts";

export const JUDGE_KINDS = [
  "openai-moderation",
  "mistral-moderation",
  "azure-content-safety",
  "azure-prompt-shield",
  "llama-guard-chat",
  "trunkline",
] as const;
export type JudgeKind = (typeof JUDGE_KINDS)[number];

/** How each kind of moderation endpoint is talked to. */
export const JUDGE_FORMATS: Readonly<Record<JudgeKind, JudgeFormat>> = {
  "openai-moderation": openAiModeration,
  "mistral-moderation": mistralModeration,
  "azure-content-safety": azureContentSafety,
  "azure-prompt-shield": azurePromptShield,
  "llama-guard-chat": llamaGuardChat,
  trunkline: trunklineSafetyCheck,
};
