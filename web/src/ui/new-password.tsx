import { type Control, type FieldPath, type FieldValues, useController } from "react-hook-form";
import { texts } from "../texts/texts.ts";
import { cx } from "./cx.ts";
import { Field } from "./field.tsx";
import { PasswordInput } from "./password-input.tsx";

const FILLS = ["bg-danger", "bg-danger", "bg-warning", "bg-positive", "bg-positive"] as const;

export interface NewPasswordProps<Values extends FieldValues> {
  readonly form: { readonly control: Control<Values, unknown, Values> };
  readonly name: FieldPath<Values>;
  /** undefined: nothing was typed yet, or it is not known. */
  readonly strength: { readonly score: number; readonly advice: string | null } | undefined;
  readonly label?: string;
}

/** A password that is being chosen in a form, with how good it is. */
export function NewPassword<Values extends FieldValues>({
  form,
  name,
  strength,
  label = texts.common.password,
}: NewPasswordProps<Values>) {
  const { field, fieldState } = useController({
    control: form.control,
    name,
    rules: { required: texts.common.fieldRequired },
  });
  const error = fieldState.error?.message;
  const score = Math.max(0, Math.min(4, strength?.score ?? 0));
  return (
    <div className="grid gap-2">
      <Field label={label} hint={texts.common.passwordHint} error={error} required>
        <PasswordInput {...field} autoComplete="new-password" maxLength={256} />
      </Field>
      <div className="grid gap-1.5">
        <div aria-hidden="true" className="grid grid-cols-4 gap-1">
          {[1, 2, 3, 4].map((step) => (
            <span
              key={step}
              className={cx("h-1 rounded-full", strength !== undefined && score >= step ? FILLS[score] : "bg-line")}
            />
          ))}
        </div>
        <p role="status" className="min-h-5 text-sm text-muted">
          {strength !== undefined && (
            <>
              <span className="font-medium text-text">{texts.common.passwordStrength[score]}.</span>{" "}
              {strength.advice === error ? null : strength.advice}
            </>
          )}
        </p>
      </div>
    </div>
  );
}
