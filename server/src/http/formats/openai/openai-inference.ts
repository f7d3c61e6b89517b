import { INFERENCE_FAULTS } from "../../endpoints/inference-faults.ts";
import { openAiDialect } from "./dialect.ts";

/** What all operations in OpenAI's form that are paid for have in common. */
export const openAiInferenceDefaults = {
  kind: "inference",
  method: "POST",
  permission: "inference.use",
  tag: "OpenAI",
  faults: INFERENCE_FAULTS,
  dialect: openAiDialect,
} as const;
