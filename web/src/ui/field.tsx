import { createContext, type ReactNode, useContext, useId } from "react";
import { texts } from "../texts/texts.ts";
import { cx } from "./cx.ts";

/** What a control inside a field takes over from it. */
export interface FieldProps {
  readonly id?: string;
  readonly required?: boolean;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

const FieldContext = createContext<FieldProps>({});
const LabelContext = createContext<string | undefined>(undefined);

/** The ties of the field around a control: its id, its hint, its error. Empty outside a field. */
export function useField(): FieldProps {
  return useContext(FieldContext);
}

/** The id of the label around a control, for controls that a `for` can't reach. */
export function useFieldLabel(): string | undefined {
  return useContext(LabelContext);
}

export interface FieldSettings {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly required?: boolean;
  /** Says "Optional" beside the label. */
  readonly optional?: boolean;
  /** Keeps the label for those who listen, and hides it from those who see. */
  readonly hideLabel?: boolean;
  readonly className?: string;
  /** One control of this folder. */
  readonly children: ReactNode;
}

/** A labelled control, with its hint and its error tied to it. */
export function Field({
  label,
  hint,
  error,
  required = false,
  optional = false,
  hideLabel = false,
  className,
  children,
}: FieldSettings) {
  const id = useId();
  const hasError = error !== undefined && error !== null && error !== false && error !== "";
  const described = cx(hint !== undefined && `${id}-hint`, hasError && `${id}-error`);
  const ties: FieldProps = {
    id,
    ...(required ? { required } : {}),
    ...(described === "" ? {} : { "aria-describedby": described }),
    ...(hasError ? { "aria-invalid": true as const } : {}),
  };
  return (
    <div className={cx("grid content-start gap-1.5", className)}>
      <label
        id={`${id}-label`}
        htmlFor={id}
        className={cx("flex items-baseline gap-2 text-sm font-medium", hideLabel && "sr-only")}
      >
        {label}
        {optional && <span className="text-xs font-normal text-faint">{texts.common.optional}</span>}
      </label>
      <LabelContext value={`${id}-label`}>
        <FieldContext value={ties}>{children}</FieldContext>
      </LabelContext>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      <p id={`${id}-error`} aria-live="polite" className="text-sm text-danger empty:hidden">
        {hasError ? error : null}
      </p>
    </div>
  );
}
