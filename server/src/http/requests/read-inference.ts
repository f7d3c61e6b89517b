import { type Content, type Conversation, conversationOf, conversationOfTexts } from "@trunkline/core/conversation.ts";
import {
  type Inference,
  normaliseTask,
  type Parameters,
  REASONING_EFFORTS,
  type Scalar,
  type TaskKind,
} from "@trunkline/core/inference.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "./fields.ts";
import { MODEL_NAME_MAX, readRoutingOptions } from "./read-routing-options.ts";

/** The most characters of one text. */
export const INPUT_MAX = 400_000;
const TASK_PATTERN = /^[A-Za-z0-9 _./-]{1,64}$/;
export const ATTACHMENTS_MAX = 16;
const ATTACHMENT_URL_MAX = 20 * 1024 * 1024;
const OTHER_PARAMETERS_MAX = 32;
const NON_TEXT_TASKS: ReadonlySet<TaskKind> = new Set<TaskKind>(["image", "audio", "embedding"]);
const SIDE_MIN = 16;
const SIDE_MAX = 8192;
export const MAX_TOKENS_MAX = 1_000_000;

/** What an operation fixes about its requests, whatever the body says. */
export interface InferenceBodyRules {
  /** Whether the body must or may name its task, or has no say in it. */
  readonly task: "required" | { readonly otherwise: string } | { readonly always: string };
  readonly streaming: boolean;
  /** Parameters that this operation also takes at the top of the body, such as an image's `size`. */
  readonly liftedParameters: readonly string[];
  /** Several inputs may come at once, as a list. */
  readonly allowsInputList?: boolean;
  /** The image size where the body gives none. */
  readonly size?: string;
}

/** Stage 4. A typed request, or the first wrong field by name. Unknown fields are ignored. */
export function readInference(body: unknown, form: InferenceBodyRules): Inference {
  const fields = readObject(body, "");
  const task = normaliseTask(readTask(fields.task, form.task));
  const model = readOptional(fields.model, (value) => readString(value, "model", 1, MODEL_NAME_MAX));
  return {
    task,
    model: model === "auto" ? undefined : model,
    ...readRoutingOptions(fields, !NON_TEXT_TASKS.has(task.kind)),
    parameters: readParameters(fields, form),
    conversation: readConversation(fields, form),
    streaming: form.streaming,
  };
}

function readConversation(fields: Fields, { allowsInputList: severalInputs }: InferenceBodyRules): Conversation {
  if (severalInputs === true) return conversationOfTexts(readTexts(fields.input, "input"));
  const input = readString(fields.input, "input", 1, INPUT_MAX);
  return conversationOf(input, readOptional(fields.attachments, readAttachments) ?? []);
}

function readTask(value: unknown, rule: InferenceBodyRules["task"]): string {
  if (rule !== "required" && "always" in rule) return rule.always;
  if (rule !== "required" && (value === undefined || value === null)) return rule.otherwise;
  const task = readString(value, "task", 1, 64);
  if (!TASK_PATTERN.test(task)) throw invalidField("task", "`task` may hold letters, digits, spaces and . _ / - only.");
  return task;
}

function readParameters(fields: Fields, form: InferenceBodyRules): Parameters {
  const given = readOptional(fields.parameters, (value) => readObject(value, "parameters")) ?? {};
  const pathOf = (name: string) =>
    form.liftedParameters.includes(name) && fields[name] != null ? name : `parameters.${name}`;
  const givenOf = (name: string) =>
    form.liftedParameters.includes(name) ? (fields[name] ?? given[name]) : given[name];
  return {
    maxTokens: readOptional(givenOf("max_tokens"), (value) =>
      readInteger(value, pathOf("max_tokens"), 1, MAX_TOKENS_MAX),
    ),
    temperature: readOptional(givenOf("temperature"), (value) => readNumber(value, pathOf("temperature"), 0, 2)),
    size: readOptional(givenOf("size"), (value) => readSize(value, pathOf("size"))) ?? form.size,
    voice: readOptional(givenOf("voice"), (value) => readString(value, pathOf("voice"), 1, 64)),
    format: readOptional(givenOf("format"), (value) => readString(value, pathOf("format"), 1, 64)),
    ...splitKnownParameters(readOtherParameters(given)),
    ...readDimensions(givenOf("dimensions"), pathOf("dimensions")),
  };
}

function readDimensions(value: unknown, param: string): Pick<Parameters, "dimensions"> {
  const dimensions = readOptional(value, (given) => readInteger(given, param, 1, DIMENSIONS_MAX));
  return dimensions === undefined ? {} : { dimensions };
}

const OWN_PARAMETERS = new Set(["max_tokens", "temperature", "size", "voice", "format", "dimensions"]);

function readOtherParameters(given: Fields): Record<string, Scalar> {
  const others = Object.entries(given).filter(([name]) => !OWN_PARAMETERS.has(name));
  if (others.length > OTHER_PARAMETERS_MAX) {
    throw invalidField(
      "parameters",
      `\`parameters\` may hold at most ${OTHER_PARAMETERS_MAX} keys of the provider's own.`,
    );
  }
  for (const [name, value] of others) {
    // A number too large for a double would reach the provider as null.
    if ((typeof value === "object" && value !== null) || value === Infinity || value === -Infinity) {
      throw invalidField(
        `parameters.${name}`,
        `\`parameters.${name}\` must be a string, a number, true, false or null.`,
      );
    }
  }
  return Object.fromEntries(others) as Record<string, Scalar>;
}

export function readSize(value: unknown, param: string): string {
  const size = readString(value, param, 1, 16);
  const sides = /^(\d{1,5})x(\d{1,5})$/.exec(size);
  const inRange = (side: string | undefined) => Number(side) >= SIDE_MIN && Number(side) <= SIDE_MAX;
  if (sides === null || !inRange(sides[1]) || !inRange(sides[2])) {
    throw invalidField(
      param,
      `\`${param}\` must be <width>x<height>, each from ${SIDE_MIN} to ${SIDE_MAX}, for example 1024x1024.`,
    );
  }
  return size;
}

function readAttachments(value: unknown): Content[] {
  return readList(value, "attachments", ATTACHMENTS_MAX, (item, param) => {
    const fields = readObject(item, param);
    const kind = readChoice(fields.type, `${param}.type`, ["image", "audio", "file"]);
    return { type: "attachment", kind, url: readAttachmentUrl(fields.url, `${param}.url`) };
  });
}

/** Where something attached is: out on the web, or within the address itself. */
export function readAttachmentUrl(value: unknown, param: string): string {
  const url = readString(value, param, 1, ATTACHMENT_URL_MAX);
  const isData = /^data:[^,]{0,256},/i.test(url);
  if (!isData && !(URL.canParse(url) && new URL(url).protocol === "https:"))
    throw invalidField(param, `\`${param}\` must be an https: or data: URL.`);
  return url;
}

type KnownParameters = Omit<Parameters, "maxTokens" | "temperature" | "size" | "voice" | "format" | "others">;

/** What a parameter of a usual name means; undefined where its value makes no sense under that name. */
const KNOWN_PARAMETERS: Readonly<Record<string, (value: Scalar) => KnownParameters | undefined>> = {
  top_p: (value) => (isNumber(value) ? { topP: value } : undefined),
  top_k: (value) => (isPositiveInteger(value) ? { topK: value } : undefined),
  stop: (value) => (typeof value === "string" ? { stop: [value] } : undefined),
  seed: (value) => (isNumber(value) && Number.isSafeInteger(value) ? { seed: value } : undefined),
  frequency_penalty: (value) => (isNumber(value) ? { frequencyPenalty: value } : undefined),
  presence_penalty: (value) => (isNumber(value) ? { presencePenalty: value } : undefined),
  reasoning_effort: (value) => {
    const effort = REASONING_EFFORTS.find((known) => known === value);
    return effort === undefined ? undefined : { thinking: { effort } };
  },
};

/** Parts the parameters that every provider has a word for from those that only one may understand. */
export function splitKnownParameters(
  given: Readonly<Record<string, Scalar>>,
): KnownParameters & Pick<Parameters, "others"> {
  let knownParameters: KnownParameters = {};
  const others: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(given)) {
    const meaning = Object.hasOwn(KNOWN_PARAMETERS, name) ? KNOWN_PARAMETERS[name]?.(value) : undefined;
    if (meaning === undefined) others[name] = value;
    else knownParameters = { ...knownParameters, ...meaning };
  }
  return { ...knownParameters, others };
}

function isNumber(value: Scalar): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isPositiveInteger(value: Scalar): value is number {
  return isNumber(value) && Number.isSafeInteger(value) && value > 0;
}

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
    throw invalidField(param, `\`${param}\` holds tokens. Send the text itself: every model has tokens of its own.`);
  return readString(value, param, 1, TEXT_CHARACTERS_MAX);
}
