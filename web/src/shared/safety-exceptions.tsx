import { Plus, Trash2 } from "lucide-react";
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
          title={`Exception ${place + 1}`}
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
          Add an exception
        </Button>
      </div>
    </div>
  );
}

interface ExceptionCardProps {
  readonly title: string;
  readonly exception: ExceptionDraft;
  readonly error: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (exception: ExceptionDraft) => void;
  readonly onRemove: () => void;
}

function ExceptionCard({ title, exception, error, disabled, onChange, onRemove }: ExceptionCardProps) {
  const change = (part: Partial<ExceptionDraft>) => onChange({ ...exception, ...part });
  const chosen = Object.keys(exception.choices);
  const others = CATEGORIES.filter((category) => !chosen.includes(category));
  return (
    <Card>
      <fieldset className="grid min-w-0 gap-4">
        <legend className="float-left w-full">
          <span className="flex items-center justify-between gap-2 font-semibold">
            {title}
            <IconButton
              label={`Remove ${title.toLowerCase()}`}
              icon={<Trash2 aria-hidden="true" />}
              disabled={disabled}
              onClick={onRemove}
            />
          </span>
        </legend>
        <div className="grid gap-4 sm:grid-cols-3">
          <Field label="Models" hint="Names or provider/names, with commas between." error={error}>
            <Input
              value={exception.models}
              disabled={disabled}
              autoComplete="off"
              placeholder="acme/large"
              onChange={(event) => change({ models: event.target.value })}
            />
          </Field>
          <Field label="Providers" hint="All models of these.">
            <Input
              value={exception.providers}
              disabled={disabled}
              autoComplete="off"
              placeholder="acme"
              onChange={(event) => change({ providers: event.target.value })}
            />
          </Field>
          <Field label="Preset for these">
            <NativeSelect
              value={exception.preset}
              disabled={disabled}
              onChange={(event) => change({ preset: presetOf(event.target.value) })}
            >
              <option value="inherit">As for the rest</option>
              <option value="balanced">Balanced</option>
              <option value="strict">Strict</option>
              <option value="off">Off</option>
            </NativeSelect>
          </Field>
        </div>
        {chosen.map((category) => (
          <div key={category} className="flex flex-wrap items-start justify-between gap-2 border-t border-line pt-3">
            <span className="pt-1.5 font-medium">{categoryName(category)}</span>
            <ChoiceInput
              category={category}
              choice={exception.choices[category]}
              unsaid="As for the rest"
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
              aria-label={`Add a category to ${title.toLowerCase()}`}
              value=""
              disabled={disabled}
              onChange={(event) => change({ choices: { ...exception.choices, [event.target.value]: "refuse" } })}
            >
              <option value="">Add a category…</option>
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
