import { texts } from "../../texts/texts.ts";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import type { CheckDraft, CheckField } from "./answer-check.ts";
import { JsonField } from "./json-field.tsx";
import { Group } from "./option-group.tsx";

const { playground: words } = texts;

interface CheckOptionsProps {
  readonly check: CheckDraft;
  readonly mistakes: Partial<Record<CheckField, string>>;
  readonly onChange: (check: CheckDraft) => void;
}

/** What an answer of a cascade must be like, so that no better model is asked. */
export function CheckOptions({ check, mistakes, onChange }: CheckOptionsProps) {
  return (
    <Group title={words.cascadeCheck} isOpen>
      <p className="col-span-full text-sm text-muted">{words.cascadeCheckHint}</p>
      <Field label={words.minLength} hint={words.minLengthHint} error={mistakes.minLength}>
        <NumberInput
          value={check.minLength}
          onValueChange={(minLength) => onChange({ ...check, minLength })}
          placeholder={words.any}
        />
      </Field>
      <Field label={words.pattern} hint={words.patternHint} error={mistakes.regex}>
        <Input
          mono
          value={check.regex ?? ""}
          onChange={({ target }) => onChange({ ...check, regex: target.value || undefined })}
          placeholder={words.patternExample}
        />
      </Field>
      <JsonField
        label={words.jsonSchema}
        hint={words.checkSchemaHint}
        error={mistakes.jsonSchema}
        rows={3}
        value={check.jsonSchema ?? ""}
        onChange={(text) => onChange({ ...check, jsonSchema: text || undefined })}
        placeholder={words.schemaExample}
      />
    </Group>
  );
}
