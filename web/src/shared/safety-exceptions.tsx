import { Plus, Trash2 } from "lucide-react";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Input } from "../ui/input.tsx";
import { NativeSelect } from "../ui/native-select.tsx";
import { ChoiceInput } from "./safety-choice.tsx";
import type { ExceptionDraft } from "./safety-draft.ts";
import { CATEGORIES, categoryName } from "./safety-words.ts";

const EXCEPTIONS_MAX = 20;

export interface ExceptionListProps {
  readonly exceptions: readonly ExceptionDraft[];
  readonly errors: ReadonlyMap<number, string>;
  readonly disabled: boolean;
  readonly onChange: (exceptions: readonly ExceptionDraft[]) => void;
}

/** Rules for some models alone, each on a card of its own. */
export function ExceptionList({ exceptions, errors, disabled, onChange }: ExceptionListProps) {
  const add = () => {
    const id = Math.max(-1, ...exceptions.map((one) => one.id)) + 1;
    onChange([...exceptions, { id, models: "", providers: "", preset: "inherit", choices: {} }]);
  };
  return (
    <div className="grid gap-3">
      {exceptions.map((exception, place) => (
        <ExceptionCard
          key={exception.id}
          place={place + 1}
          exception={exception}
          error={errors.get(exception.id)}
          disabled={disabled}
          onChange={(changed) => onChange(exceptions.map((one) => (one.id === changed.id ? changed : one)))}
          onRemove={() => onChange(exceptions.filter((one) => one.id !== exception.id))}
        />
      ))}
      <div>
        <Button
          icon={<Plus aria-hidden="true" />}
          disabled={disabled || exceptions.length >= EXCEPTIONS_MAX}
          onClick={add}
        >
          {texts.safety.exceptions.add}
        </Button>
      </div>
    </div>
  );
}

interface ExceptionCardProps {
  readonly place: number;
  readonly exception: ExceptionDraft;
  readonly error: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (exception: ExceptionDraft) => void;
  readonly onRemove: () => void;
}

function ExceptionCard({ place, exception, error, disabled, onChange, onRemove }: ExceptionCardProps) {
  const change = (part: Partial<ExceptionDraft>) => onChange({ ...exception, ...part });
  const words = texts.safety.exceptions;
  const presets = texts.safety.preset.names;
  const chosen = Object.keys(exception.choices);
  const others = CATEGORIES.filter((category) => !chosen.includes(category));
  return (
    <Card>
      <fieldset className="grid min-w-0 gap-4">
        <legend className="float-left w-full">
          <span className="flex items-center justify-between gap-2 font-semibold">
            {words.name(place)}
            <IconButton
              label={words.remove(place)}
              icon={<Trash2 aria-hidden="true" />}
              disabled={disabled}
              onClick={onRemove}
            />
          </span>
        </legend>
        <div className="grid gap-4 sm:grid-cols-3">
          <Field label={words.models} hint={words.modelsHint} error={error}>
            <Input
              value={exception.models}
              disabled={disabled}
              autoComplete="off"
              placeholder={words.modelsPlaceholder}
              onChange={(event) => change({ models: event.target.value })}
            />
          </Field>
          <Field label={words.providers} hint={words.providersHint}>
            <Input
              value={exception.providers}
              disabled={disabled}
              autoComplete="off"
              placeholder={words.providersPlaceholder}
              onChange={(event) => change({ providers: event.target.value })}
            />
          </Field>
          <Field label={words.preset}>
            <NativeSelect
              value={exception.preset}
              disabled={disabled}
              onChange={(event) => change({ preset: presetOf(event.target.value) })}
            >
              <option value="inherit">{words.sameAsRest}</option>
              <option value="balanced">{presets.balanced}</option>
              <option value="strict">{presets.strict}</option>
              <option value="off">{presets.off}</option>
            </NativeSelect>
          </Field>
        </div>
        {chosen.map((category) => (
          <div key={category} className="flex flex-wrap items-start justify-between gap-2 border-t border-line pt-3">
            <span className="pt-1.5 font-medium">{categoryName(category)}</span>
            <ChoiceInput
              category={category}
              choice={exception.choices[category]}
              unsaid={words.sameAsRest}
              disabled={disabled}
              onChange={(choice) => {
                const { [category]: _, ...rest } = exception.choices;
                change({ choices: choice === undefined ? rest : { ...rest, [category]: choice } });
              }}
            />
          </div>
        ))}
        {others.length > 0 && (
          <div className="sm:max-w-64">
            <NativeSelect
              aria-label={words.addCategoryTo(place)}
              value=""
              disabled={disabled}
              onChange={(event) => change({ choices: { ...exception.choices, [event.target.value]: "refuse" } })}
            >
              <option value="">{words.addCategory}</option>
              {others.map((category) => (
                <option key={category} value={category}>
                  {categoryName(category)}
                </option>
              ))}
            </NativeSelect>
          </div>
        )}
      </fieldset>
    </Card>
  );
}

function presetOf(value: string): ExceptionDraft["preset"] {
  return value === "balanced" || value === "strict" || value === "off" ? value : "inherit";
}
