import { extname } from "node:path";

/** The purposes of files that messages name by their ids. */
export const ATTACHED_PURPOSES = ["user_data", "vision", "assistants"] as const;
export type AttachedPurpose = (typeof ATTACHED_PURPOSES)[number];

export function isAttachedPurpose(purpose: unknown): purpose is AttachedPurpose {
  return (ATTACHED_PURPOSES as readonly unknown[]).includes(purpose);
}

/** Clients often send no type of their own. */
const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".jsonl": "text/plain",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".txt": "text/plain",
  ".wav": "audio/wav",
  ".webp": "image/webp",
  ".xml": "text/xml",
};

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,100}$/;
const UNKNOWN_TYPE = "application/octet-stream";

/** The media type of a file: as the client sends it, or else by its name. */
export function mediaTypeOf(name: string, sent: string): string {
  const type = sent.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (MEDIA_TYPE.test(type) && type !== UNKNOWN_TYPE) return type;
  return TYPES_BY_EXTENSION[extname(name).toLowerCase()] ?? UNKNOWN_TYPE;
}

/** The content of a file that a message names. */
export interface AttachedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}
