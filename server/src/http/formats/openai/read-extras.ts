import {
  invalidField,
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
export const readShortString = (value: unknown, param: string) => readString(value, param, 1, 512);

function readLogitBias(value: unknown, param: string): Record<string, number> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > TOKEN_BIASES_MAX)
    throw invalidField(param, `\`${param}\` may hold at most ${TOKEN_BIASES_MAX} tokens.`);
  return Object.fromEntries(
    entries.map(([token, bias]) => [token, readNumber(bias, `${param}.${token}`, -100, 100)]),
  );
}

/** Up to sixteen words of the application's own. */
export function readMetadata(value: unknown, param: string): Record<string, string> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > METADATA_MAX)
    throw invalidField(param, `\`${param}\` may hold at most ${METADATA_MAX} pairs.`);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (name.length > 64)
        throw invalidField(param, `The names in \`${param}\` may have at most 64 characters.`);
      return [name, readString(text, `${param}.${name}`, 0, 512)];
    }),
  );
}

/** What chats may say that only a provider of OpenAI's own format understands. */
export const CHAT_EXTRAS: FieldRules["extras"] = {
  logit_bias: readLogitBias,
  user: readShortString,
  metadata: readMetadata,
  store: readBoolean,
  prompt_cache_key: readShortString,
  safety_identifier: readShortString,
  verbosity: (value, param) => readChoice(value, param, ["low", "medium", "high"]),
};

/** The same of the old completions. */
export const COMPLETION_EXTRAS: FieldRules["extras"] = { logit_bias: readLogitBias, user: readShortString };
