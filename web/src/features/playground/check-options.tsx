import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import type { CheckDraft, CheckField } from "./answer-check.ts";
import { Group } from "./option-group.tsx";

interface CheckOptionsProps {
  readonly check: CheckDraft;
  readonly mistakes: Partial<Record<CheckField, string>>;
  readonly onChange: (check: CheckDraft) => void;
}

/** What an answer of a cascade must be like, so that no better model is asked. */
export function CheckOptions({ check, mistakes, onChange }: CheckOptionsProps) {
  return (
    <Group title="Check of the cascade" isOpen>
      <p className="col-span-full text-sm text-muted">
        The cheapest model is asked first, and a better one where its answer fails. That it is not empty is asked in any
        case. Every whole answer is charged.
      </p>
      <Field label="Least length" hint="In characters." error={mistakes.minLength}>
        <NumberInput
          value={check.minLength}
          onValueChange={(minLength) => onChange({ ...check, minLength })}
          placeholder="Any"
        />
      </Field>
      <Field label="Pattern" hint="The answer must hold a match, by the rules of RE2." error={mistakes.regex}>
        <Input
          mono
          value={check.regex ?? ""}
          onChange={({ target }) => onChange({ ...check, regex: target.value || undefined })}
          placeholder="^(yes|no)"
        />
      </Field>
      <Field
        label="JSON schema"
        hint="The answer, read as JSON, must meet it."
        error={mistakes.jsonSchema}
        className="col-span-full"
      >
        <Textarea
          mono
          rows={3}
          grow
          spellCheck={false}
          className="max-h-64 min-h-20 text-sm"
          value={check.jsonSchema ?? ""}
          onChange={({ target }) => onChange({ ...check, jsonSchema: target.value || undefined })}
          placeholder={'{"type": "object"}'}
        />
      </Field>
    </Group>
  );
}
