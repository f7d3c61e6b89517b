import { type KeyboardEvent, useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Textarea } from "../../ui/textarea.tsx";

interface MessageEditorProps {
  readonly label: string;
  readonly text: string;
  readonly saveLabel: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** A message that is being rewritten. Enter saves, Shift+Enter makes a line, Escape gives up. */
export function MessageEditor({ label, text, saveLabel, onSave, onCancel }: MessageEditorProps) {
  const [draft, setDraft] = useState(text);
  const canSave = draft.trim() !== "";

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") {
      event.preventDefault();
      onCancel();
    } else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (canSave) onSave(draft);
    }
  }

  return (
    <form
      className="grid w-full min-w-0 gap-2"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) onSave(draft);
      }}
    >
      <Field label={label} hideLabel>
        <Textarea
          autoFocus
          grow
          rows={2}
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
          className="max-h-96 min-h-16"
        />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" variant="primary" type="submit" disabled={!canSave}>
          {saveLabel}
        </Button>
        <Button size="sm" onClick={onCancel}>
          {texts.common.cancel}
        </Button>
      </div>
    </form>
  );
}
