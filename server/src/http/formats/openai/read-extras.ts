import {
  invalid,
  readBoolean,
  readChoice,
  readNumber,
  readObject,
  readString,
} from "../../requests/fields.ts";
import type { FieldRules } from "./sort-fields.ts";

const TOKEN_BIASES_MAX = 1_024;
const METADATA_MAX = 16;

/** A word or a name of the application's own. */
export const readWord = (value: unknown, param: string) => readString(value, param, 1, 512);

function readLogitBias(value: unknown, param: string): Record<string, number> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > TOKEN_BIASES_MAX)
    throw invalid(param, `\`${param}\` may hold at most ${TOKEN_BIASES_MAX} tokens.`);
  return Object.fromEntries(
    entries.map(([token, bias]) => [token, readNumber(bias, `${param}.${token}`, -100, 100)]),
  );
}

/** Up to sixteen words of the application's own. */
export function readMetadata(value: unknown, param: string): Record<string, string> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > METADATA_MAX)
    throw invalid(param, `\`${param}\` may hold at most ${METADATA_MAX} pairs.`);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (name.length > 64) throw invalid(param, `The names in \`${param}\` may have at most 64 characters.`);
      return [name, readString(text, `${param}.${name}`, 0, 512)];
    }),
  );
}

/** What chats may say that only a provider of OpenAI's own format understands. */
export const CHAT_EXTRAS: FieldRules["extras"] = {
  logit_bias: readLogitBias,
  user: readWord,
  metadata: readMetadata,
  store: readBoolean,
  prompt_cache_key: readWord,
  safety_identifier: readWord,
  verbosity: (value, param) => readChoice(value, param, ["low", "medium", "high"]),
};

/** The same of the old completions. */
export const COMPLETION_EXTRAS: FieldRules["extras"] = { logit_bias: readLogitBias, user: readWord };
