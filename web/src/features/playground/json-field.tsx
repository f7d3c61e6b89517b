import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { prettyJson } from "./json-text.ts";

interface JsonFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly value: string;
  readonly placeholder?: string;
  readonly rows?: number;
  readonly onChange: (value: string) => void;
}

/** JSON to write by hand. */
export function JsonField({ label, hint, error, value, placeholder, rows = 6, onChange }: JsonFieldProps) {
  return (
    <div className="col-span-full grid min-w-0 gap-2">
      <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
        <Textarea
          mono
          grow
          rows={rows}
          spellCheck={false}
          autoComplete="off"
          value={value}
          placeholder={placeholder}
          onChange={({ target }) => onChange(target.value)}
          className="max-h-96 min-h-32 text-sm"
        />
      </Field>
      <div>
        <Button size="sm" variant="ghost" disabled={value.trim() === ""} onClick={() => onChange(prettyJson(value))}>
          {texts.playground.formatJson}
        </Button>
      </div>
    </div>
  );
}
