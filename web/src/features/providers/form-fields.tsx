import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { texts } from "../../texts/texts.ts";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import type { ModelDraft } from "./model-draft.ts";

const TEXTS = texts.providerForm.formFields;

/** What the sections of the form share. */
export interface ModelFormHandle {
  readonly draft: ModelDraft;
  /** Changes some of it; the param says which field was touched. */
  readonly set: (patch: Partial<ModelDraft>, param: string) => void;
  readonly errorOn: (param: string) => string | undefined;
  readonly warningOn: (param: string) => string | undefined;
  /** Whether the model is there already. */
  readonly isChange: boolean;
  readonly hasCredential: boolean;
}

export interface DraftFieldProps {
  readonly form: ModelFormHandle;
  /** The field's name in the API, by which errors find it. */
  readonly param: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A field of the form with what the service says of it. */
export function DraftField({ form, param, label, hint, children, className, ...rest }: DraftFieldProps) {
  const error = form.errorOn(param);
  const warning = error === undefined ? form.warningOn(param) : undefined;
  const said =
    warning === undefined ? (
      hint
    ) : (
      <>
        {hint !== undefined && <span className="block">{hint}</span>}
        <span className="flex items-start gap-1.5 text-warning">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span>
            <span className="sr-only">{TEXTS.note}</span>
            {warning}
          </span>
        </span>
      </>
    );
  return (
    <div data-param={param} className={className}>
      <Field label={label} error={error} {...(said === undefined ? {} : { hint: said })} {...rest}>
        {children}
      </Field>
    </div>
  );
}

type TextKey = {
  [Key in keyof ModelDraft]: ModelDraft[Key] extends string ? Key : never;
}[keyof ModelDraft];

export interface DraftTextProps extends Omit<DraftFieldProps, "children"> {
  readonly of: TextKey;
  readonly mono?: boolean;
  readonly placeholder?: string;
  readonly disabled?: boolean;
}

/** A line of text in the form. */
export function DraftText({ of, mono = false, placeholder, disabled = false, ...field }: DraftTextProps) {
  const { form, param } = field;
  return (
    <DraftField {...field}>
      <Input
        mono={mono}
        disabled={disabled}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...(placeholder === undefined ? {} : { placeholder })}
        value={form.draft[of]}
        onChange={(event) => form.set({ [of]: event.target.value }, param)}
      />
    </DraftField>
  );
}

export interface DraftNumberProps extends Omit<DraftFieldProps, "children"> {
  readonly value: number | undefined;
  readonly onValueChange: (value: number | undefined) => void;
  readonly suffix?: string;
  readonly placeholder?: string;
}

/** A number in the form. */
export function DraftNumber({ value, onValueChange, suffix, placeholder, ...field }: DraftNumberProps) {
  return (
    <DraftField {...field}>
      <NumberInput
        value={value}
        onValueChange={onValueChange}
        {...(suffix === undefined ? {} : { suffix, className: "pr-24" })}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
    </DraftField>
  );
}
