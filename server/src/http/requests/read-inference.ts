import { type Content, type Conversation, conversationOf, conversationOfTexts } from "@trunkline/core/conversation.ts";
import {
  type Inference,
  normaliseTask,
  type Parameters,
  REASONING_EFFORTS,
  type Scalar,
  type TaskKind,
} from "@trunkline/core/inference.ts";
import { z } from "zod";
import { choiceField, Field, fieldTable, integerField, numberField, objectField, stringField } from "./field-table.ts";
import { type Fields, invalidField, readList, readObject, readString } from "./fields.ts";
import { MODEL_NAME_MAX, readRoutingOptions, routingFields } from "./read-routing-options.ts";
import { toInference } from "./to-inference.ts";

/** The most characters of one text. */
export const INPUT_MAX = 400_000;
export const MAX_TOKENS_MAX = 1_000_000;
export const ATTACHMENTS_MAX = 16;
/** The most dimensions that a vector may be asked to have. */
export const DIMENSIONS_MAX = 16_384;
const ATTACHMENT_URL_MAX = 20 * 1024 * 1024;
const TASK_LENGTH_MAX = 64;
const TASK_PATTERN = /^[A-Za-z0-9 _./-]{1,64}$/;
export const TEXTS_MAX = 2_048;
const OTHER_PARAMETERS_MAX = 32;
const SIDE_MIN = 16;
const SIDE_MAX = 8192;
const NON_TEXT_TASKS: ReadonlySet<TaskKind> = new Set<TaskKind>(["image", "audio", "embedding"]);

type KnownParameters = Omit<Parameters, "maxTokens" | "temperature" | "size" | "voice" | "format" | "others">;

interface KnownParameter {
  /** undefined: the value makes no sense under this name. */
  readonly toParameters: (value: Scalar) => KnownParameters | undefined;
  readonly schema: z.ZodType;
}

const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A parameter under a name that most providers know. Any other value under that name goes to the provider unchanged. */
function knownParameter(kind: string, toParameters: (value: Scalar) => KnownParameters | undefined): KnownParameter {
  const description = `${kind} Any other value goes to the provider unchanged.`;
  return { toParameters, schema: scalarSchema.optional().describe(description) };
}

const knownParameters: Readonly<Record<string, KnownParameter>> = {
  top_p: knownParameter("A number.", (value) => (isNumber(value) ? { topP: value } : undefined)),
  top_k: knownParameter("A whole number from 1.", (value) => (isPositiveInteger(value) ? { topK: value } : undefined)),
  stop: knownParameter("A string.", (value) => (typeof value === "string" ? { stop: [value] } : undefined)),
  seed: knownParameter("A whole number.", (value) =>
    isNumber(value) && Number.isSafeInteger(value) ? { seed: value } : undefined,
  ),
  frequency_penalty: knownParameter("A number.", (value) =>
    isNumber(value) ? { frequencyPenalty: value } : undefined,
  ),
  presence_penalty: knownParameter("A number.", (value) => (isNumber(value) ? { presencePenalty: value } : undefined)),
  reasoning_effort: knownParameter(`One of ${REASONING_EFFORTS.join(", ")}.`, (value) => {
    const effort = REASONING_EFFORTS.find((known) => known === value);
    return effort === undefined ? undefined : { thinking: { effort } };
  }),
};

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

const sizeField = new Field(readSize, z.string()).optional();

/** The members of `parameters` that are checked. */
const parameterFields = {
  max_tokens: integerField(1, MAX_TOKENS_MAX).optional(),
  temperature: numberField(0, 2).optional(),
  size: sizeField.describe(`<width>x<height>, each ${SIDE_MIN} to ${SIDE_MAX}.`),
  voice: stringField(1, 64).optional(),
  format: stringField(1, 64).optional(),
  dimensions: integerField(1, DIMENSIONS_MAX).optional().describe("Where the model can make as many."),
};

const parameters = fieldTable(parameterFields, "parameters");
const parametersSchema = parameters.schema
  .extend(Object.fromEntries(Object.entries(knownParameters).map(([name, { schema }]) => [name, schema])))
  .catchall(scalarSchema);

function readTask(value: unknown, param: string): string {
  const task = readString(value, param, 1, TASK_LENGTH_MAX);
  if (!TASK_PATTERN.test(task))
    throw invalidField(param, `\`${param}\` may hold letters, digits, spaces and . _ / - only.`);
  return task;
}

const taskField = new Field(readTask, z.string().min(1).max(TASK_LENGTH_MAX)).describe(
  "Kind of work, for example chat, text-generation, code, summarization, image.",
);

const attachmentFields = {
  type: choiceField(["image", "audio", "file"]),
  url: new Field(readAttachmentUrl, z.string()).describe("https: or data: URL"),
};

function readAttachments(value: unknown, param: string): Content[] {
  return readList(value, param, ATTACHMENTS_MAX, (item, path) => {
    const fields = readObject(item, path);
    const kind = attachmentFields.type.read(fields.type, `${path}.type`);
    return { type: "attachment", kind, url: attachmentFields.url.read(fields.url, `${path}.url`) };
  });
}

const inputField = stringField(1, INPUT_MAX).describe("The prompt or content to process.");
const attachmentsField = new Field(
  readAttachments,
  z.array(fieldTable(attachmentFields).schema).max(ATTACHMENTS_MAX),
).optional();

/** One text or a list of texts. */
export const textsField = new Field(readTexts, z.union([z.string(), z.array(z.string()).min(1).max(TEXTS_MAX)]));

const commonFields = {
  model: stringField(1, MODEL_NAME_MAX).optional().describe("A name from GET /v1/models, provider/name, or `auto`."),
  ...routingFields,
  parameters: objectField({ schema: parametersSchema }).optional(),
};

const read = fieldTable({ ...commonFields, task: taskField, input: inputField, attachments: attachmentsField }).read;

/** What sets one operation in our own format apart from the others. */
interface NativeBodyOptions {
  /** Whether the body must name its task, may name it, or can't choose it. */
  readonly task: "required" | { readonly otherwise: string } | { readonly always: string };
  /** Parameters that this operation also takes at the top of the body, such as an image's `size`. */
  readonly lifted?: Readonly<Record<string, Field<unknown>>>;
  /** Several inputs may come at once, as a list; attachments may not. */
  readonly allowsInputList?: boolean;
  /** The image size where the body gives none. */
  readonly size?: string;
}

/** A body in our own format: how it is read and documented. */
export interface NativeBody extends NativeBodyOptions {
  readonly streaming: boolean;
  readonly schema: z.ZodObject;
}

function nativeBody(options: NativeBodyOptions): NativeBody {
  const { task, lifted = {}, allowsInputList = false } = options;
  const { schema } = fieldTable({
    ...(task === "required" ? { task: taskField } : "otherwise" in task ? { task: taskField.optional() } : {}),
    ...(allowsInputList
      ? { input: textsField.describe("One text or a list of them, each 1 to 400,000 characters.") }
      : { input: inputField, attachments: attachmentsField }),
    ...commonFields,
    ...lifted,
  });
  return { ...options, streaming: false, schema };
}

export const aiRequestBody = nativeBody({ task: "required" });
export const generateBody = nativeBody({ task: { otherwise: "text" } });
export const streamBody: NativeBody = { ...generateBody, streaming: true };
export const imageBody = nativeBody({
  task: { always: "image" },
  lifted: { size: sizeField.describe("Default 1024x1024.") },
  size: "1024x1024",
});
export const audioBody = nativeBody({
  task: { always: "audio" },
  lifted: { voice: parameterFields.voice, format: parameterFields.format },
});
export const embeddingsBody = nativeBody({
  task: { always: "embedding" },
  lifted: { dimensions: parameterFields.dimensions },
  allowsInputList: true,
});

/** Stage 4. A typed request, or the first wrong field by name. Unknown fields are ignored. */
export function readInference(body: unknown, form: NativeBody): Inference {
  const fields = readObject(body, "");
  const task = normaliseTask(taskOf(fields, form.task));
  const model = read.model(fields);
  return toInference({
    task,
    model: model === "auto" ? undefined : model,
    strategy: undefined,
    routingOptions: readRoutingOptions(fields, !NON_TEXT_TASKS.has(task.kind)),
    parameters: readParameters(fields, form),
    conversation: readConversation(fields, form),
    streaming: form.streaming,
    extras: undefined,
    dropped: undefined,
  });
}

function taskOf(fields: Fields, rule: NativeBody["task"]): string {
  if (rule !== "required" && "always" in rule) return rule.always;
  if (rule !== "required" && (fields.task === undefined || fields.task === null)) return rule.otherwise;
  return read.task(fields);
}

function readConversation(fields: Fields, { allowsInputList }: NativeBody): Conversation {
  if (allowsInputList === true) return conversationOfTexts(readTexts(fields.input, "input"));
  return conversationOf(read.input(fields), read.attachments(fields) ?? []);
}

function readParameters(fields: Fields, { lifted = {}, size }: NativeBody): Parameters {
  const given = read.parameters(fields) ?? {};
  const readLifted = <Value>(name: string, field: Field<Value>): Value =>
    Object.hasOwn(lifted, name) && fields[name] != null
      ? field.read(fields[name], name)
      : field.read(given[name], `parameters.${name}`);
  const { read: readOwn } = parameters;
  const maxTokens = readOwn.max_tokens(given);
  const temperature = readOwn.temperature(given);
  const imageSize = readLifted("size", parameterFields.size) ?? size;
  const voice = readLifted("voice", parameterFields.voice);
  const format = readLifted("format", parameterFields.format);
  const known = splitKnownParameters(readOtherParameters(given));
  return {
    maxTokens,
    temperature,
    size: imageSize,
    voice,
    format,
    topP: known.topP,
    topK: known.topK,
    stop: known.stop,
    seed: known.seed,
    frequencyPenalty: known.frequencyPenalty,
    presencePenalty: known.presencePenalty,
    choices: undefined,
    logprobs: undefined,
    thinking: known.thinking,
    dimensions: readLifted("dimensions", parameterFields.dimensions),
    pace: undefined,
    others: known.others,
  };
}

function readOtherParameters(given: Fields): Record<string, Scalar> {
  const others = Object.entries(given).filter(([name]) => !parameters.names.has(name));
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

/** The address of an attachment: on the web, or a data URL that holds the attachment itself. */
export function readAttachmentUrl(value: unknown, param: string): string {
  const url = readString(value, param, 1, ATTACHMENT_URL_MAX);
  const isData = /^data:[^,]{0,256},/i.test(url);
  if (!isData && !(URL.canParse(url) && new URL(url).protocol === "https:"))
    throw invalidField(param, `\`${param}\` must be an https: or data: URL.`);
  return url;
}

/** Separates the parameters that most providers know from those that only one may understand. */
export function splitKnownParameters(
  given: Readonly<Record<string, Scalar>>,
): KnownParameters & Pick<Parameters, "others"> {
  let known: KnownParameters = {};
  const others: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(given)) {
    const meaning = Object.hasOwn(knownParameters, name) ? knownParameters[name]?.toParameters(value) : undefined;
    if (meaning === undefined) others[name] = value;
    else known = { ...known, ...meaning };
  }
  return { ...known, others };
}

function isNumber(value: Scalar): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isPositiveInteger(value: Scalar): value is number {
  return isNumber(value) && Number.isSafeInteger(value) && value > 0;
}

/** The texts of a body that takes one or a list of them. */
export function readTexts(value: unknown, param: string): string[] {
  if (!Array.isArray(value)) return [readText(value, param)];
  if (value.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
  return readList(value, param, TEXTS_MAX, readText);
}

function readText(value: unknown, param: string): string {
  // A token's number means something to one tokenizer only, and the model may have another.
  if (typeof value === "number" || Array.isArray(value))
    throw invalidField(param, `\`${param}\` holds tokens. Send the text itself: every model has tokens of its own.`);
  return readString(value, param, 1, INPUT_MAX);
}
