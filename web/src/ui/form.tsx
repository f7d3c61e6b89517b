import { type ReactNode, type Ref, type SubmitEventHandler, useId } from "react";
import {
  type Control,
  type ControllerRenderProps,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  useController,
} from "react-hook-form";
import { texts } from "../texts/texts.ts";
import { Banner } from "./banner.tsx";
import { cx } from "./cx.ts";
import { Field, type FieldSettings } from "./field.tsx";
import { Input, type InputProps } from "./input.tsx";
import { NumberInput, type NumberInputProps } from "./number-input.tsx";
import { PasswordInput } from "./password-input.tsx";

/** What a form needs of its state. */
export interface FormState {
  readonly submit: SubmitEventHandler<HTMLFormElement>;
  /** What is wrong with the whole, or with none of its fields. */
  readonly fault: string | undefined;
}

export interface FormProps {
  readonly form: FormState;
  /** For a button outside of it. */
  readonly id?: string;
  readonly ref?: Ref<HTMLFormElement>;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form. What is wrong with a field stands at the field, and what is wrong otherwise above them all. */
export function Form({ form, id, ref, className, children }: FormProps) {
  return (
    <form id={id} ref={ref} noValidate onSubmit={form.submit} className={cx("grid gap-4", className)}>
      {form.fault !== undefined && (
        <div data-fault className="col-span-full">
          <Banner tone="danger">{form.fault}</Banner>
        </div>
      )}
      {children}
    </form>
  );
}

/** One value of a form, for a control that has a label of its own. */
export function FormValue<Values extends FieldValues, Name extends FieldPath<Values>>(
  props: Pick<Bound<Values, Name>, "form" | "name" | "check"> & {
    readonly children: (field: ControllerRenderProps<Values, Name>, error: string | undefined) => ReactNode;
  },
) {
  const { field, fieldState } = useController({
    control: props.form.control,
    name: props.name,
    rules: { validate: (value, values) => props.check?.(value, values) },
  });
  return props.children(field, fieldState.error?.message);
}

interface Bound<Values extends FieldValues, Name extends FieldPath<Values>> {
  readonly form: { readonly control: Control<Values, unknown, Values> };
  readonly name: Name;
  /** What is wrong with a value; undefined: nothing. */
  readonly check?: (value: FieldPathValue<Values, Name>, values: Values) => string | undefined;
  /** What is wrong as it stands, to be said while it is typed. */
  readonly mistake?: string | undefined;
}

type FieldLook = Omit<FieldSettings, "children" | "error">;

export interface FormFieldProps<Values extends FieldValues, Name extends FieldPath<Values>>
  extends Bound<Values, Name>,
    FieldLook {
  /** One control of this folder. */
  readonly children: (field: ControllerRenderProps<Values, Name>) => ReactNode;
}

/** A labelled control of a form, with its error. */
export function FormField<Values extends FieldValues, Name extends FieldPath<Values>>({
  form,
  name,
  check,
  mistake,
  children,
  ...look
}: FormFieldProps<Values, Name>) {
  const { field, fieldState } = useController({
    control: form.control,
    name,
    rules: {
      validate: (value, values) =>
        look.required === true && isEmpty(value) ? texts.common.fieldRequired : check?.(value, values),
    },
  });
  return (
    <Field {...look} error={fieldState.error?.message ?? mistake}>
      {children(field)}
    </Field>
  );
}

export interface FormGroupProps<Values extends FieldValues, Name extends FieldPath<Values>>
  extends Omit<Bound<Values, Name>, "mistake"> {
  readonly label: string;
  /** Boxes to tick and the like. */
  readonly children: (field: ControllerRenderProps<Values, Name>) => ReactNode;
}

/** Several controls for one value of a form, with their error above them. */
export function FormGroup<Values extends FieldValues, Name extends FieldPath<Values>>({
  label,
  children,
  ...bound
}: FormGroupProps<Values, Name>) {
  const id = useId();
  return (
    <FormValue {...bound}>
      {(field, error) => (
        <fieldset
          aria-describedby={`${id}-error`}
          {...(error === undefined ? {} : { "aria-invalid": true })}
          className="grid gap-3"
        >
          <legend className="mb-1 text-sm font-medium">{label}</legend>
          <p id={`${id}-error`} aria-live="polite" className="text-sm text-danger empty:hidden">
            {error}
          </p>
          {children(field)}
        </fieldset>
      )}
    </FormValue>
  );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

export type TextFieldProps<Values extends FieldValues, Name extends FieldPath<Values>> = Bound<Values, Name> &
  FieldLook & { readonly inputClassName?: string } & Omit<
    InputProps,
    keyof FieldLook | "form" | "name" | "value" | "defaultValue" | "onChange" | "onBlur" | "children"
  >;

/** A line of text in a form. */
export function TextField<Values extends FieldValues, Name extends FieldPath<Values>>(
  props: TextFieldProps<Values, Name>,
) {
  const { own, input } = split(props);
  return <FormField {...own}>{(field) => <Input {...input} {...field} />}</FormField>;
}

/** A password or another secret in a form. */
export function PasswordField<Values extends FieldValues, Name extends FieldPath<Values>>(
  props: Omit<TextFieldProps<Values, Name>, "type" | "suffix">,
) {
  const { own, input } = split<Values, Name>(props);
  return <FormField {...own}>{(field) => <PasswordInput {...input} {...field} />}</FormField>;
}

/** A number in a form. */
export function NumberField<Values extends FieldValues, Name extends FieldPath<Values>>(
  props: TextFieldProps<Values, Name>,
) {
  const { own, input } = split(props);
  return (
    <FormField {...own}>
      {({ onChange, ...field }) => (
        <NumberInput {...(input as Partial<NumberInputProps>)} {...field} onValueChange={onChange} />
      )}
    </FormField>
  );
}

/** What belongs to the field, and what to its input. */
function split<Values extends FieldValues, Name extends FieldPath<Values>>(props: TextFieldProps<Values, Name>) {
  const { form, name, check, mistake, label, hint, required, optional, hideLabel, className, inputClassName, ...rest } =
    props;
  const own = {
    form,
    name,
    label,
    mistake,
    ...(check === undefined ? {} : { check }),
    ...(hint === undefined ? {} : { hint }),
    ...(required === undefined ? {} : { required }),
    ...(optional === undefined ? {} : { optional }),
    ...(hideLabel === undefined ? {} : { hideLabel }),
    ...(className === undefined ? {} : { className }),
  };
  return { own, input: inputClassName === undefined ? rest : { ...rest, className: inputClassName } };
}
