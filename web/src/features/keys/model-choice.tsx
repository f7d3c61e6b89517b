import { X } from "lucide-react";
import { texts } from "../../texts/texts.ts";
import { MultiCombobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";

export interface ModelChoiceProps {
  readonly value: readonly string[];
  /** Undefined while they load. */
  readonly names: readonly { readonly name: string; readonly type: string }[] | undefined;
  readonly error: string | undefined;
  readonly onValueChange: (models: readonly string[]) => void;
}

const TEXTS = texts.keys.form;

/** Which models a key may use. One that it may use already is offered although no list has it any more. */
export function ModelChoice({ value, names = [], error, onValueChange }: ModelChoiceProps) {
  const listed = names.map(({ name, type }) => ({
    value: name,
    label: name,
    description: type === "preset" ? TEXTS.preset : type,
  }));
  const unlisted = value
    .filter((name) => names.every((other) => other.name !== name))
    .map((name) => ({ value: name, label: name }));
  return (
    <div className="grid gap-2">
      <Field label={TEXTS.models} optional error={error} hint={TEXTS.modelsHint}>
        <MultiCombobox
          value={value}
          options={[...unlisted, ...listed]}
          placeholder={TEXTS.allModels}
          searchPlaceholder={TEXTS.searchModels}
          emptyText={TEXTS.noModels}
          onValueChange={onValueChange}
        />
      </Field>
      {value.length > 0 && (
        <ul aria-label={TEXTS.selectedModels} className="flex flex-wrap gap-1.5">
          {value.map((name) => (
            <li key={name} className="max-w-full">
              <button
                type="button"
                aria-label={TEXTS.removeModel(name)}
                onClick={() => onValueChange(value.filter((other) => other !== name))}
                className="inline-flex max-w-full items-center gap-1 rounded-full bg-hover py-0.5 pr-1.5 pl-2.5 text-sm hover:bg-line"
              >
                <span className="truncate">{name}</span>
                <X aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
