import { type Fields, invalidField, readChoice } from "../../../requests/fields.ts";
import { ROUTING_FIELDS } from "../../plain-fields.ts";
import { readShortString } from "../read-extras.ts";
import type { FieldRules } from "../sort-fields.ts";

/** What becomes of each field of a body. `verbosity` is one of `text`, and stands at the top on the chat's wire. */
export const RESPONSE_FIELD_RULES: FieldRules = {
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
    ...ROUTING_FIELDS,
  ]),
  extras: {
    user: readShortString,
    safety_identifier: readShortString,
    prompt_cache_key: readShortString,
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

const STORED_STATE_FIELDS: Readonly<Record<string, string>> = {
  previous_response_id: "Responses are not stored here. Send the whole conversation as `input`.",
  conversation: "Conversations are not stored here. Send the whole conversation as `input`.",
  prompt: "Prompts are not stored here. Send it as `instructions` and `input`.",
};

/** Whatever stands for words that only OpenAI has can't be left out without changing what is asked. */
export function refuseStoredState(fields: Fields): void {
  for (const [name, sentence] of Object.entries(STORED_STATE_FIELDS))
    if (fields[name] !== undefined && fields[name] !== null) throw invalidField(name, sentence);
  if (fields.background === true)
    throw invalidField("background", "Responses are not stored here, so that none can be fetched later.");
}
