import { X } from "lucide-react";
import { texts } from "../texts/texts.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { cx } from "./cx.ts";

/** The cross at a corner. It has no tooltip: one would take the first Escape from the dialog around it. */
export function CloseButton({ className, ...rest }: Omit<ButtonProps, "children" | "icon">) {
  return (
    <Button
      aria-label={texts.common.close}
      {...rest}
      variant="ghost"
      size="sm"
      icon={<X aria-hidden="true" />}
      className={cx("-mt-1 w-8 px-0 pointer-coarse:w-9", className)}
    />
  );
}
