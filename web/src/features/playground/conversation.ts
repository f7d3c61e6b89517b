import { AUTO, FIRST_SETTINGS, type Settings } from "./settings.ts";

/** A file that goes with a message. Its content stays in this page: neither the history nor a link has it. */
export interface AttachedFile {
  readonly id: string;
  readonly type: "image" | "audio" | "file";
  readonly name: string;
  readonly bytes: number;
  /** A data: URL; undefined where only the name was kept. */
  readonly url?: string | undefined;
}

/** A call of a tool that the model asked for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  /** What the tool is said to have answered. */
  readonly result?: string | undefined;
  /** Google's mark by which Gemini knows its own calls again. */
  readonly signature?: string | undefined;
}

/** Why a reply failed, in a form that can be stored. */
export interface ReplyError {
  readonly type: string;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly attempts?: readonly { readonly model: string; readonly reason: string; readonly ms: number }[] | undefined;
  readonly cost?: number | undefined;
}

/** One answer of a model. One that calls tools is followed by another, once the calls have their results. */
export interface Reply {
  readonly status: "running" | "done" | "stopped" | "failed";
  readonly text: string;
  readonly thinking?: string | undefined;
  readonly calls: readonly ToolCall[];
  /** Of an image or of speech. */
  readonly mediaUrl?: string | undefined;
  /** `provider/name` */
  readonly model?: string | undefined;
  /** Every model that answered, where it was more than one. */
  readonly models?: readonly string[] | undefined;
  readonly cost?: number | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly requestId?: string | undefined;
  /** From the click to the first piece of text, and to the end. */
  readonly firstMs?: number | undefined;
  readonly totalMs?: number | undefined;
  readonly error?: ReplyError | undefined;
}

/** A message of the user, and what each model replied to it. */
export interface Turn {
  readonly id: string;
  readonly text: string;
  readonly files: readonly AttachedFile[];
  /** By the id of the column. */
  readonly replies: Readonly<Record<string, readonly Reply[]>>;
}

/** A conversation with one model, or with several side by side. */
export interface Conversation {
  readonly id: string;
  /** When it was last changed, in milliseconds. */
  readonly at: number;
  readonly settings: Settings;
  readonly turns: readonly Turn[];
}

export const RUNNING: Reply = { status: "running", text: "", calls: [] };

export const MOST_COLUMNS = 4;

export function newId(): string {
  return crypto.getRandomValues(new Uint32Array(2)).reduce((text, part) => text + part.toString(36), "");
}

export function newConversation(settings: Settings = FIRST_SETTINGS): Conversation {
  return { id: newId(), at: Date.now(), settings, turns: [] };
}

/** Another column for a comparison. */
export function withColumn({ columns }: Settings): Settings["columns"] {
  return columns.length >= MOST_COLUMNS ? columns : [...columns, { ...AUTO, id: newId() }];
}

const TITLE_LENGTH = 80;

/** What a conversation is called in a list: how it begins. */
export function titleOf({ turns, settings }: Conversation): string {
  const words = (turns[0]?.text ?? settings.system).trim().replace(/\s+/g, " ");
  return [...words].slice(0, TITLE_LENGTH).join("");
}

/** The last reply of a column, if there is one. */
export function lastReply(turn: Turn | undefined, columnId: string): Reply | undefined {
  return turn?.replies[columnId]?.at(-1);
}

export function isRunning(turns: readonly Turn[]): boolean {
  return turns.some(({ replies }) => Object.values(replies).some((list) => list.at(-1)?.status === "running"));
}
