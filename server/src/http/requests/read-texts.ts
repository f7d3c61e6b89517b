import { invalidField, readList, readString } from "./fields.ts";

const TEXTS_MAX = 2_048;
const TEXT_CHARACTERS_MAX = 400_000;

/** The most dimensions that a vector may be asked to have. */
export const DIMENSIONS_MAX = 16_384;

/** The texts of a body that takes one or a list of them. */
export function readTexts(value: unknown, param: string): string[] {
  if (!Array.isArray(value)) return [readText(value, param)];
  if (value.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
  return readList(value, param, TEXTS_MAX, readText);
}

function readText(value: unknown, param: string): string {
  // Which token a number stands for, only the tokenizer that made it can tell, and the model may have another.
  if (typeof value === "number" || Array.isArray(value))
    throw invalidField(
      param,
      `\`${param}\` holds tokens. Send the text itself: every model has tokens of its own.`,
    );
  return readString(value, param, 1, TEXT_CHARACTERS_MAX);
}
