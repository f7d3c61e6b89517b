import { texts } from "../../texts/texts.ts";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { JsonField } from "./json-field.tsx";
import { Group } from "./option-group.tsx";
import { ANSWER_FORMS, type Field as FieldName, type Settings } from "./settings.ts";

const { playground: words } = texts;

const EXAMPLE_SCHEMA = `{
  "type": "object",
  "properties": {
    "answer": { "type": "string" }
  },
  "required": ["answer"],
  "additionalProperties": false
}`;

interface OutputOptionsProps {
  readonly settings: Settings;
  readonly mistakes: Partial<Record<FieldName, string>>;
  readonly onChange: (changes: Partial<Settings>) => void;
}

/** Whether the answer is text, JSON, or JSON that meets a schema. */
export function OutputOptions({ settings, mistakes, onChange }: OutputOptionsProps) {
  const { answerForm, schema } = settings;
  return (
    <Group title={words.responseFormat} isOpen={answerForm !== "text"}>
      <Field label={words.format} className="col-span-full">
        <Select<Settings["answerForm"]>
          value={answerForm}
          onValueChange={(chosen) =>
            onChange({
              answerForm: chosen,
              ...(chosen === "schema" && schema === undefined ? { schema: EXAMPLE_SCHEMA } : {}),
            })
          }
          options={ANSWER_FORMS.map((form) => ({ value: form, label: words.answerForms[form] }))}
        />
      </Field>
      {answerForm === "schema" && (
        <JsonField
          label={words.jsonSchema}
          value={schema ?? ""}
          error={mistakes.schema}
          onChange={(text) => onChange({ schema: text || undefined })}
        />
      )}
    </Group>
  );
}
