import type { Message, Tool } from "@trunkline/core/conversation.ts";
import { textOf } from "@trunkline/core/conversation.ts";
import { type Inference, REALTIME_TASK, textInference } from "@trunkline/core/inference.ts";
import { type JsonObject, objectField } from "@trunkline/core/json-object.ts";
import type { ClientEvent, EventContent } from "./client-event.ts";

/** How many characters of a conversation are kept. Providers forget the beginning of a long one as well. */
const KEPT_CHARACTERS_MAX = 1_000_000;
/** The tokens that OpenAI counts for a second of speech. */
const HEARD_TOKENS_PER_SECOND = 10;
const SPOKEN_TOKENS_PER_SECOND = 20;
const BYTES_PER_SECOND = { pcm: 48_000, g711: 8_000 } as const;
type AudioFormat = keyof typeof BYTES_PER_SECOND;

/** What is known of a session's conversation: the input of its next response, by our own count. */
export class SessionContext {
  readonly #modelName: string;
  #instructions = "";
  #tools: readonly Tool[] = [];
  readonly #messages: Message[] = [];
  #characters = 0;
  #maxTokens: number | undefined;
  #heardFormat: AudioFormat = "pcm";
  #spokenFormat: AudioFormat = "pcm";
  #audioTokens = 0;
  /** What the client has sent since the last response began, in tokens, and what of it the provider took for speech. */
  #sentTokens = 0;
  #spokenMs: number | undefined;
  #speechBeganMs: number | undefined;

  /** `modelName`: `provider/name`. */
  constructor(modelName: string) {
    this.#modelName = modelName;
  }

  /** How many tokens a provider may count for the audio so far. */
  get audioTokens(): number {
    return Math.ceil(this.#audioTokens);
  }

  /** Takes note of an event that is passed on. */
  apply({ type, fields }: ClientEvent, content: EventContent): void {
    const tokens = (content.audioBytes / BYTES_PER_SECOND[this.#heardFormat]) * HEARD_TOKENS_PER_SECOND;
    this.#audioTokens += tokens;
    this.#sentTokens = type === "input_audio_buffer.clear" ? 0 : this.#sentTokens + tokens;
    if (type === "conversation.item.create") for (const message of content.messages) this.addMessage(message);
    if (type !== "session.update") return;
    const session = objectField(fields, "session");
    const audio = objectField(session, "audio");
    this.#instructions = content.instructions ?? this.#instructions;
    this.#tools = content.tools ?? this.#tools;
    this.#maxTokens = maxTokensOf(session) ?? this.#maxTokens;
    this.#heardFormat = formatOf(audio, "input", session.input_audio_format) ?? this.#heardFormat;
    this.#spokenFormat = formatOf(audio, "output", session.output_audio_format) ?? this.#spokenFormat;
  }

  /** Takes note of when the provider's voice detection heard someone begin and end to speak. */
  noteSpeech({ type, audio_start_ms: begin, audio_end_ms: end }: JsonObject): void {
    if (type === "input_audio_buffer.speech_started" && typeof begin === "number") this.#speechBeganMs = begin;
    if (type !== "input_audio_buffer.speech_stopped" || typeof end !== "number") return;
    if (this.#speechBeganMs !== undefined && end > this.#speechBeganMs)
      this.#spokenMs = (this.#spokenMs ?? 0) + end - this.#speechBeganMs;
    this.#speechBeganMs = undefined;
  }

  /**
   * The tokens of what the provider has heard since the last response began. With voice detection that is the speech
   * alone: an open microphone sends silence as well, which is no input.
   */
  get heardTokens(): number {
    const spoken = this.#spokenMs === undefined ? undefined : (this.#spokenMs / 1_000) * HEARD_TOKENS_PER_SECOND;
    return Math.ceil(Math.min(spoken ?? this.#sentTokens, this.#sentTokens));
  }

  /** The same, and a response begins. */
  takeHeardTokens(): number {
    const heard = this.heardTokens;
    this.#sentTokens = 0;
    this.#spokenMs = undefined;
    return heard;
  }

  addMessage(message: Message): void {
    this.#messages.push(message);
    this.#characters += lengthOf(message);
    while (this.#characters > KEPT_CHARACTERS_MAX && this.#messages.length > 1) {
      const first = this.#messages.shift();
      if (first !== undefined) this.#characters -= lengthOf(first);
    }
  }

  /** Counts audio of an answer, which is input of the next one. Returns its tokens. */
  addSpeech(bytes: number): number {
    const seconds = bytes / BYTES_PER_SECOND[this.#spokenFormat];
    this.#audioTokens += seconds * HEARD_TOKENS_PER_SECOND;
    return seconds * SPOKEN_TOKENS_PER_SECOND;
  }

  /** The request of the next response, with what its own event changes. */
  nextInference(event?: ClientEvent, content?: EventContent): Inference {
    const response = event === undefined ? {} : objectField(event.fields, "response");
    const instructions = content?.instructions ?? this.#instructions;
    const own = Array.isArray(response.input) ? (content?.messages ?? []) : this.#messages;
    return this.#toInference(
      instructions,
      own,
      content?.tools ?? this.#tools,
      maxTokensOf(response) ?? this.#maxTokens,
      undefined,
    );
  }

  /** The request of writing down what was heard. */
  transcriptInference(): Inference {
    return this.#toInference("", [], [], undefined, undefined);
  }

  /** The texts of one event, as a request that the safety check judges. */
  inferenceOf({ instructions = "", messages, tools = [], others }: EventContent): Inference {
    return this.#toInference(instructions, messages, tools, undefined, others);
  }

  #toInference(
    instructions: string,
    messages: readonly Message[],
    tools: readonly Tool[],
    maxTokens: number | undefined,
    others: JsonObject | undefined,
  ): Inference {
    const base = textInference("", REALTIME_TASK);
    const system: Message = { role: "system", content: [{ type: "text", text: instructions }] };
    return {
      ...base,
      conversation: { messages: instructions === "" ? messages : [system, ...messages], tools },
      model: this.#modelName,
      parameters: { ...base.parameters, maxTokens },
      streaming: true,
      extras: others === undefined ? undefined : { wire: "openai", fields: others },
    };
  }
}

function lengthOf(message: Message): number {
  return textOf({ messages: [message], tools: [] }).length;
}

/** The limit of a response; undefined: there is none, or it is "inf". */
function maxTokensOf(settings: JsonObject): number | undefined {
  const limit = settings.max_output_tokens ?? settings.max_response_output_tokens;
  return Number.isSafeInteger(limit) && Number(limit) > 0 ? Number(limit) : undefined;
}

function formatOf(audio: JsonObject, side: "input" | "output", older: unknown): AudioFormat | undefined {
  const format = objectField(audio, side).format ?? older;
  const name = typeof format === "object" && format !== null && "type" in format ? format.type : format;
  if (typeof name !== "string") return undefined;
  return /pcm[ua]|g711/.test(name) ? "g711" : "pcm";
}
