import type { ComponentProps } from "react";
import { cx } from "./cx.ts";
import { useField } from "./field.tsx";

export interface TextareaProps extends ComponentProps<"textarea"> {
  readonly mono?: boolean;
  /** Grows with its text, where the browser can. */
  readonly grow?: boolean;
}

/** Several lines of text. Inside a Field it is labelled by it. */
export function Textarea({ mono = false, grow = false, rows = 4, className, ...rest }: TextareaProps) {
  const ties = useField();
  return (
    <textarea
      {...ties}
      {...rest}
      rows={rows}
      className={cx("control block resize-y", mono && "font-mono", grow && "field-sizing-content", className)}
    />
  );
}
