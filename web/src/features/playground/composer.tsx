import { Paperclip, Send, Square } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { formatNumber } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { AttachedFiles, FilePicker, useAttachments } from "./attachments.tsx";
import type { AttachedFile } from "./conversation.ts";
import type { Mode } from "./settings.ts";

const { playground: words } = texts;
const LONGEST_INPUT = 400_000;

interface ComposerProps {
  readonly mode: Mode;
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly files: readonly AttachedFile[];
  readonly onFiles: (change: (before: readonly AttachedFile[]) => readonly AttachedFile[]) => void;
  readonly canSend: boolean;
  readonly isRunning: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** What it would cost, beside the button. */
  readonly children: ReactNode;
}

/** Where a message is written. Enter sends it, Shift+Enter makes a line. */
export function Composer(props: ComposerProps) {
  const { mode, draft, onDraft, files, onFiles, canSend, isRunning, onSend, onStop, children } = props;
  const picker = useRef<HTMLInputElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const { add, mistake } = useAttachments(files, onFiles);
  const takesFiles = mode === "chat";

  function onKeyDown(event: KeyboardEvent) {
    // While a word is being composed, as in Japanese, Enter only ends the word.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    // A phone's keyboard has no Shift+Enter: there Enter makes the line, and the button sends.
    if (matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    if (canSend) onSend();
  }

  return (
    <form
      className="grid min-w-0 gap-2 rounded-lg border border-line-strong bg-surface p-3 shadow-sm"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
      onPaste={(event) => {
        const pasted = [...event.clipboardData.files];
        if (!takesFiles || pasted.length === 0) return;
        event.preventDefault();
        void add(pasted);
      }}
    >
      {takesFiles && <AttachedFiles files={files} onChange={onFiles} mistake={mistake} />}
      <Field label={words.message} hideLabel>
        <Textarea
          ref={field}
          rows={2}
          grow
          maxLength={LONGEST_INPUT}
          value={draft}
          onChange={({ target }) => onDraft(target.value)}
          onKeyDown={onKeyDown}
          placeholder={words.placeholders[mode]}
          className="max-h-64 min-h-16"
        />
      </Field>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {takesFiles && (
          <>
            <FilePicker ref={picker} onPick={(chosen) => void add(chosen)} />
            <IconButton
              label={words.attachFiles}
              icon={<Paperclip aria-hidden="true" />}
              onClick={() => picker.current?.click()}
            />
          </>
        )}
        <span className="min-w-0 grow text-sm text-muted">
          {draft.length > 10_000 ? words.characters(formatNumber(draft.length), formatNumber(LONGEST_INPUT)) : children}
        </span>
        <span className="text-sm text-muted max-md:hidden">
          <Kbd>{words.enterKey}</Kbd> {words.enterSends}
        </span>
        {isRunning && (
          <Button
            icon={<Square aria-hidden="true" />}
            onClick={() => {
              onStop();
              // The button that had the focus goes away.
              field.current?.focus();
            }}
          >
            {words.stopReply}
          </Button>
        )}
        <Button type="submit" variant="primary" icon={<Send aria-hidden="true" />} disabled={!canSend}>
          {words.send}
        </Button>
      </div>
    </form>
  );
}
