import { type AnswerForm, attachmentsOf, type Conversation, textOf } from "@trunkline/core/conversation.ts";
import { type Inference, REASONING_EFFORTS, type Thinking } from "@trunkline/core/inference.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { ATTACHMENTS_MAX } from "../../../requests/read-inference.ts";
import { readRoutingOptions } from "../../../requests/read-wishes.ts";
import { EMPTY_PARAMETERS } from "../../plain-fields.ts";
import { readModel } from "../../read-model.ts";
import { readSchemaFormat } from "../chat/read-answer-form.ts";
import { readMetadata } from "../read-extras.ts";
import { readMaxTokens } from "../read-sampling.ts";
import { sessionOf } from "../session-of.ts";
import { partitionFields } from "../sort-fields.ts";
import { readItems } from "./read-items.ts";
import { RESPONSE_FIELD_RULES, refuseStoredState } from "./response-rules.ts";
import { readResponseTools } from "./tools.ts";

/** The most words of all items together, in characters. */
const TEXT_LENGTH_MAX = 1_000_000;
const TOP_LOGPROBS_MAX = 20;
const LOGPROBS = "message.output_text.logprobs";
const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** What a body of `responses` asks for, or the first wrong field by name. */
export function readResponse(body: unknown): Inference {
  const fields = readObject(body, "");
  refuseStoredState(fields);
  const { model, strategy } = readModel(fields.model);
  const text = readOptional(fields.text, (value) => readObject(value, "text")) ?? {};
  const answerForm = readOptional(text.format, readTextFormat);
  const conversation: Conversation = {
    messages: readItems(fields),
    ...readResponseTools(fields),
    ...(answerForm === undefined ? {} : { answerForm }),
  };
  checkConversationSize(conversation);
  const routingOptions = readRoutingOptions(fields);
  const included = readInclude(fields);
  const thinking = readThinking(fields);
  readOptional(fields.metadata, (value) => readMetadata(value, "metadata"));
  const { format: _, verbosity = null, ...unknownOfText } = text;
  const { dropped = [], ...sorted } = partitionFields({ ...fields, verbosity }, RESPONSE_FIELD_RULES);
  return {
    task: normaliseTask("chat"),
    conversation,
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: {
      ...EMPTY_PARAMETERS,
      maxTokens: readMaxTokens(fields.max_output_tokens, "max_output_tokens"),
      temperature: readOptional(fields.temperature, (value) => readNumber(value, "temperature", 0, 2)),
      topP: readOptional(fields.top_p, (value) => readNumber(value, "top_p", 0, 1)),
      logprobs:
        readOptional(fields.top_logprobs, (value) =>
          readInteger(value, "top_logprobs", 0, TOP_LOGPROBS_MAX),
        ) ?? (included.wantsLogprobs ? 0 : undefined),
      thinking: thinking.wish,
    },
    streaming: readOptional(fields.stream, (value) => readBoolean(value, "stream")) ?? false,
    ...sorted,
    ...sessionOf(routingOptions, sorted),
    dropped: [
      ...dropped,
      ...Object.keys(unknownOfText).map((name) => `text.${name}`),
      ...included.dropped,
      ...thinking.dropped,
    ],
  };
}

/** The form that the answer must have; undefined: any text. */
function readTextFormat(value: unknown): AnswerForm | undefined {
  const { type } = readObject(value, "text.format");
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return readSchemaFormat(value, "text.format");
    default:
      throw invalidField(
        "text.format.type",
        "`text.format.type` must be one of: text, json_object, json_schema.",
      );
  }
}

/** Thoughts are given out as they come, so that a wish for a summary of them changes nothing. */
function readThinking(fields: Fields): { wish: Thinking | undefined; dropped: readonly string[] } {
  const reasoning = readOptional(fields.reasoning, (value) => readObject(value, "reasoning")) ?? {};
  const effort = readOptional(reasoning.effort, (value) =>
    value === "max" ? "xhigh" : readChoice(value, "reasoning.effort", REASONING_EFFORTS),
  );
  const others = Object.keys(reasoning).filter(
    (name) => name !== "effort" && (reasoning[name] ?? null) !== null,
  );
  return {
    wish: effort === undefined ? undefined : { effort },
    dropped: others.map((name) => `reasoning.${name}`),
  };
}

function readInclude(fields: Fields): { wantsLogprobs: boolean; dropped: readonly string[] } {
  const included =
    readOptional(fields.include, (value) =>
      readList(value, "include", 64, (item, param) => readString(item, param, 1, 128)),
    ) ?? [];
  const isUnknown = included.some((name) => name !== LOGPROBS && name !== ENCRYPTED_REASONING);
  return { wantsLogprobs: included.includes(LOGPROBS), dropped: isUnknown ? ["include"] : [] };
}

function checkConversationSize(conversation: Conversation): void {
  const attached = attachmentsOf(conversation).length;
  if (attached > ATTACHMENTS_MAX)
    throw invalidField("input", `\`input\` may hold at most ${ATTACHMENTS_MAX} images, sounds and files.`);
  const words = textOf(conversation);
  if (words === "" && attached === 0) throw invalidField("input", "`input` must say something.");
  if (words.length > TEXT_LENGTH_MAX)
    throw invalidField(
      "input",
      `\`input\` may have at most ${TEXT_LENGTH_MAX.toLocaleString("en")} characters of text.`,
    );
}
