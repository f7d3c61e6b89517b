import { texts } from "../texts/texts.ts";
import { Field } from "../ui/field.tsx";
import { NativeSelect } from "../ui/native-select.tsx";
import { NumberInput } from "../ui/number-input.tsx";
import type { Choice, Marks } from "./safety-draft.ts";
import { actionsFor, actionWords, categoryName, isRedactable, type SafetyAction } from "./safety-words.ts";

export interface ChoiceInputProps {
  readonly category: string;
  readonly choice: Choice | undefined;
  /** What holds where nothing is chosen. */
  readonly unsaid: string;
  readonly disabled: boolean;
  readonly error?: string | undefined;
  readonly onChange: (choice: Choice | undefined) => void;
}

/** What to do about one category: nothing of one's own, an action, or scores. */
export function ChoiceInput({ category, choice, unsaid, disabled, error, onChange }: ChoiceInputProps) {
  const words = texts.safety.categories;
  const actions = actionsFor(category);
  const choose = (word: string) => {
    const action = actions.find((known: SafetyAction) => known === word);
    if (word === "scores")
      onChange({ report: 0.5, redact: undefined, refuse: category === "sexual_minors" ? 0.5 : 0.9 });
    else onChange(action);
  };
  return (
    <div className="grid min-w-36 gap-2 sm:min-w-44">
      <NativeSelect
        aria-label={words.actionFor(categoryName(category))}
        disabled={disabled}
        value={typeof choice === "object" ? "scores" : (choice ?? "unsaid")}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="unsaid">{unsaid}</option>
        {actions.map((action) => (
          <option key={action} value={action}>
            {actionWords(action).verb}
          </option>
        ))}
        <option value="scores">{words.custom}</option>
      </NativeSelect>
      {typeof choice === "object" && (
        <MarkInputs category={category} marks={choice} disabled={disabled} onChange={onChange} />
      )}
      {error !== undefined && (
        <p role="alert" className="max-w-64 text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

interface MarkInputsProps {
  readonly category: string;
  readonly marks: Marks;
  readonly disabled: boolean;
  readonly onChange: (marks: Marks) => void;
}

function MarkInputs({ category, marks, disabled, onChange }: MarkInputsProps) {
  const words = texts.safety.categories;
  const steps = isRedactable(category) ? (["report", "redact", "refuse"] as const) : (["report", "refuse"] as const);
  return (
    <div className="flex flex-wrap gap-2">
      {steps.map((step) => (
        <Field key={step} label={words.from[step]} className="w-24">
          <NumberInput
            aria-label={words.fromFor[step](categoryName(category))}
            placeholder={words.never}
            disabled={disabled}
            value={marks[step]}
            onValueChange={(score) => onChange({ ...marks, [step]: score })}
          />
        </Field>
      ))}
    </div>
  );
}
