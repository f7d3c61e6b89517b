import { useState } from "react";
import { Input, type InputProps } from "./input.tsx";

export interface NumberInputProps
  extends Omit<InputProps, "value" | "defaultValue" | "onChange" | "type" | "inputMode"> {
  readonly value: number | undefined;
  /** Hears a number, or undefined where there is none that can be read. */
  readonly onValueChange: (value: number | undefined) => void;
}

/** A number input. The typed text stays as it is; only the number is reported. */
export function NumberInput({ value, onValueChange, ...rest }: NumberInputProps) {
  const [text, setText] = useState(value === undefined ? "" : String(value));
  // A value from outside that is not what was typed replaces it.
  const shown = readNumber(text) === value ? text : value === undefined ? "" : String(value);
  return (
    <Input
      {...rest}
      inputMode="decimal"
      autoComplete="off"
      value={readNumber(text) === undefined && value === undefined ? text : shown}
      onChange={(event) => {
        setText(event.target.value);
        onValueChange(readNumber(event.target.value));
      }}
    />
  );
}

function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replace(",", ".");
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(trimmed)) return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}
