import type { AnswerForm } from "@trunkline/core/conversation.ts";
import type { ConversionContext } from "./content.ts";

/** How a provider is told which form its answer must have. */
export interface ResponseFormatFields {
  readonly response_format: object | undefined;
  /** What has to be said in words, as there is no field for it. */
  readonly message: object | undefined;
}

/**
 * The form of the answer. Where a provider only knows that it must be JSON, the schema is told to the model in words;
 * as nobody then sees to it that the answer keeps to it, that counts as dropped.
 */
export function toResponseFormatFields(
  form: AnswerForm | undefined,
  { quirks, onUnsupported: onDropped }: ConversionContext,
): ResponseFormatFields {
  if (form === undefined) return { response_format: undefined, message: undefined };
  if (form.type === "json") return { response_format: { type: "json_object" }, message: undefined };
  const { name, schema, description, strict } = form;
  if (!quirks.unsupported.has("json_schema")) {
    const response_format = { type: "json_schema", json_schema: { name, description, schema, strict } };
    return { response_format, message: undefined };
  }
  onDropped("json_schema");
  const words = `Answer with one JSON object that follows this schema, and with nothing else: ${JSON.stringify(schema)}`;
  return {
    response_format: { type: "json_object" },
    message: { role: "system", content: words },
  };
}
