import type { Task, TaskKind } from "./inference.ts";

const KIND_OF_WORD: ReadonlyMap<string, TaskKind> = new Map(
  Object.entries({
    chat: ["chat"],
    text: ["text", "text-generation", "generate-text", "completion"],
    code: ["code", "coding", "code-generation"],
    analysis: ["analysis", "summarization", "classification", "extraction", "translation"],
    image: ["image", "image-generation"],
    audio: ["audio", "voice", "tts", "speech"],
    transcription: ["transcription", "speech-to-text", "stt"],
    embedding: ["embedding", "embeddings"],
    multimodal: ["multimodal", "multi-modal", "vision"],
  } satisfies Record<TaskKind, string[]>).flatMap(([kind, words]) =>
    words.map((word) => [word, kind as TaskKind] as const),
  ),
);

/** One spelling for a word that people write in many: case, `_`, `-` and spaces are alike. */
export function normaliseWord(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** The kind of work that a client's own word stands for. A word nobody knows is work for a text model. */
export function normaliseTask(task: string): Task {
  const word = normaliseWord(task);
  const kind = KIND_OF_WORD.get(word);
  return { kind: kind ?? "text", word, known: kind !== undefined };
}
