import { type Fields, invalid, readChoice } from "../../../requests/fields.ts";
import { WISH_FIELDS } from "../../plain-fields.ts";
import { readWord } from "../read-extras.ts";
import type { FieldRules } from "../sort-fields.ts";

/** What becomes of each field of a body. `verbosity` is one of `text`, and stands at the top on the chat's wire. */
export const RESPONSE_RULES: FieldRules = {
  understood: new Set([
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "text",
    "reasoning",
    "include",
    "max_output_tokens",
    "temperature",
    "top_p",
    "top_logprobs",
    "stream",
    "metadata",
    ...WISH_FIELDS,
  ]),
  extras: {
    user: readWord,
    safety_identifier: readWord,
    prompt_cache_key: readWord,
    verbosity: (value, param) => readChoice(value, `text.${param}`, ["low", "medium", "high"]),
  },
  harmless: {
    store: (value) => value === false,
    background: (value) => value === false,
    truncation: (value) => value === "disabled",
    service_tier: (value) => value === "auto" || value === "default",
    stream_options: (value) => typeof value === "object",
  },
};

const KEPT_ELSEWHERE: Readonly<Record<string, string>> = {
  previous_response_id: "Responses are not stored here. Send the whole conversation as `input`.",
  conversation: "Conversations are not stored here. Send the whole conversation as `input`.",
  prompt: "Prompts are not stored here. Send it as `instructions` and `input`.",
};

/** Whatever stands for words that only OpenAI has can't be left out without changing what is asked. */
export function refuseStored(fields: Fields): void {
  for (const [name, sentence] of Object.entries(KEPT_ELSEWHERE))
    if (fields[name] !== undefined && fields[name] !== null) throw invalid(name, sentence);
  if (fields.background === true)
    throw invalid("background", "Responses are not stored here, so that none can be fetched later.");
}
