import { X } from "lucide-react";
import { type Ref, useState } from "react";
import { texts } from "../../texts/texts.ts";
import { formatBytes } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { type AttachedFile, newId } from "./conversation.ts";

const { playground: words } = texts;
const MOST_FILES = 16;
/** A request with attachments may have 20 MiB; as text a file is a third longer. */
const MOST_BYTES = 14 * 1024 * 1024;
const ACCEPTED = "image/*,application/pdf,audio/wav,audio/mpeg,.wav,.mp3,text/*";

type Change = (change: (before: readonly AttachedFile[]) => readonly AttachedFile[]) => void;

/** How files are added, and why they could not be. */
export function useAttachments(files: readonly AttachedFile[], onChange: Change) {
  const [mistake, setMistake] = useState("");

  async function add(chosen: readonly File[]): Promise<void> {
    setMistake("");
    const bytes = [...files, ...chosen.map(({ size }) => ({ bytes: size }))].reduce((sum, file) => sum + file.bytes, 0);
    if (files.length + chosen.length > MOST_FILES) return setMistake(words.tooManyFiles(MOST_FILES));
    if (bytes > MOST_BYTES) return setMistake(words.filesTooLarge(formatBytes(MOST_BYTES)));
    if (chosen.some(isOtherAudio)) return setMistake(words.otherAudio);
    try {
      const read = await Promise.all(chosen.map(readFile));
      onChange((before) => [...before, ...read]);
    } catch {
      // The file was moved or may not be read.
      setMistake(words.fileUnreadable);
    }
    return undefined;
  }

  return { add, mistake };
}

/** The browser's own picker; a button of the page opens it. */
export function FilePicker({
  ref,
  onPick,
}: {
  readonly ref: Ref<HTMLInputElement>;
  readonly onPick: (files: readonly File[]) => void;
}) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      accept={ACCEPTED}
      aria-label={words.filesToAttach}
      tabIndex={-1}
      className="sr-only"
      onChange={(event) => {
        onPick([...(event.target.files ?? [])]);
        // The same file may be chosen again.
        event.target.value = "";
      }}
    />
  );
}

interface AttachedFilesProps {
  readonly files: readonly AttachedFile[];
  readonly onChange: Change;
  readonly mistake: string;
}

/** The files that go with the next message. */
export function AttachedFiles({ files, onChange, mistake }: AttachedFilesProps) {
  return (
    <>
      {files.length > 0 && (
        <ul aria-label={words.attachedFiles} className="flex flex-wrap gap-1.5">
          {files.map((file) => (
            <li key={file.id} className="flex max-w-full items-center gap-2 rounded-full bg-hover pl-3 text-sm">
              <span className="truncate">{file.name}</span>
              <span className="shrink-0 text-muted">{formatBytes(file.bytes)}</span>
              <IconButton
                label={words.removeFile(file.name)}
                size="sm"
                icon={<X aria-hidden="true" />}
                onClick={() => onChange((before) => before.filter(({ id }) => id !== file.id))}
              />
            </li>
          ))}
        </ul>
      )}
      <p aria-live="polite" className="text-sm text-danger empty:hidden">
        {mistake}
      </p>
    </>
  );
}

/** Models take WAV and MP3. */
function isOtherAudio({ type, name }: File): boolean {
  return type.startsWith("audio/") && !/\.(?:wav|mp3)$/i.test(name);
}

async function readFile(file: File): Promise<AttachedFile> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "data:");
    reader.onerror = () => reject(reader.error ?? new Error());
    reader.readAsDataURL(file);
  });
  const [group] = file.type.split("/");
  const type = group === "image" || group === "audio" ? group : "file";
  // Without a type the browser leaves the address short of what the service expects.
  return { id: newId(), type, url: url === "data:" ? "data:," : url, name: file.name, bytes: file.size };
}
