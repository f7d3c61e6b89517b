import { Paperclip, X } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { Attachment } from "./settings.ts";

/** A file that was chosen. It is kept for as long as the page is open, and nowhere else. */
export interface AttachedFile extends Attachment {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
}

const MOST_FILES = 16;
/** A request with attachments may have 20 MiB; as text a file is a third longer. */
const MOST_BYTES = 14 * 1024 * 1024;

interface AttachmentFieldProps {
  readonly files: readonly AttachedFile[];
  readonly onChange: (change: (before: readonly AttachedFile[]) => readonly AttachedFile[]) => void;
}

/** Pictures, sound and files beside the text. */
export function AttachmentField({ files, onChange }: AttachmentFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [mistake, setMistake] = useState("");

  async function add(chosen: readonly File[]) {
    setMistake("");
    const bytes = [...files, ...chosen.map(({ size }) => ({ bytes: size }))].reduce((sum, file) => sum + file.bytes, 0);
    if (files.length + chosen.length > MOST_FILES) return setMistake(`At most ${MOST_FILES} files fit.`);
    if (bytes > MOST_BYTES) return setMistake(`Together they may have at most ${formatBytes(MOST_BYTES)}.`);
    try {
      const read = await Promise.all(chosen.map(readFile));
      onChange((before) => [...before, ...read]);
    } catch {
      // The file was moved or may not be read.
      setMistake("The file could not be read. Choose it again.");
    }
    return undefined;
  }

  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <input
          ref={picker}
          type="file"
          multiple
          aria-label="Files to attach"
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => {
            void add([...(event.target.files ?? [])]);
            // The same file may be chosen again.
            event.target.value = "";
          }}
        />
        <Button size="sm" icon={<Paperclip aria-hidden="true" />} onClick={() => picker.current?.click()}>
          Attach files
        </Button>
        <span className="text-sm text-muted">
          Pictures, sound or files, {formatBytes(MOST_BYTES)} together. They are not kept over a reload.
        </span>
      </div>
      {files.length > 0 && (
        <ul aria-label="Attached files" className="flex flex-wrap gap-1.5">
          {files.map((file) => (
            <li key={file.id} className="flex max-w-full items-center gap-2 rounded-full bg-hover pl-3 text-sm">
              <span className="truncate">{file.name}</span>
              <span className="text-muted">{formatBytes(file.bytes)}</span>
              <IconButton
                label={`Take away ${file.name}`}
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
    </div>
  );
}

let lastId = 0;

async function readFile(file: File): Promise<AttachedFile> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : "data:");
    reader.onerror = () => reject(reader.error ?? new Error("The file could not be read."));
    reader.readAsDataURL(file);
  });
  const [group] = file.type.split("/");
  const type = group === "image" || group === "audio" ? group : "file";
  lastId += 1;
  // Without a type the browser leaves the address short of what the service expects.
  return { id: lastId, type, url: url === "data:" ? "data:," : url, name: file.name, bytes: file.size };
}
