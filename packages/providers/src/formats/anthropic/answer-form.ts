import type { AnswerForm } from "@trunkline/core/conversation.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { toStrictSchema } from "./close-schema.ts";

export interface ResponseFormatFields {
  /** The field `format` of `output_config`. */
  readonly format?: JsonObject | undefined;
  /** Said to the model in words, where the format has no field for it. */
  readonly instruction?: string | undefined;
}

/** How a model is told which form its answer must have. */
export function toResponseFormatFields(
  form: AnswerForm | undefined,
  isStructured: boolean,
  drop: (field: string) => void,
): ResponseFormatFields {
  if (form === undefined) return {};
  if (form.type === "json")
    return {
      instruction: "Answer with one JSON object, and with nothing else: no fence, no words around it.",
    };
  if (isStructured) return { format: { type: "json_schema", schema: toStrictSchema(form.schema) } };
  // Asked for in words it is a wish: nobody holds the model to it.
  drop("response_format");
  const about = form.description === undefined ? "" : ` (${form.description})`;
  return {
    instruction: `Answer with JSON${about} that follows this schema, and with nothing else: no fence, no words around it.\n${JSON.stringify(form.schema)}`,
  };
}
