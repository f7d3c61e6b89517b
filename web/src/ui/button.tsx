import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md" | "lg";

const BASE =
  "inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55";

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: "border-transparent bg-accent text-on-accent enabled:hover:bg-accent-strong [a&]:hover:bg-accent-strong",
  secondary: "border-line-strong bg-surface text-text enabled:hover:bg-hover [a&]:hover:bg-hover",
  ghost:
    "border-transparent bg-transparent text-muted enabled:hover:bg-hover enabled:hover:text-text [a&]:hover:bg-hover [a&]:hover:text-text",
  danger: "border-transparent bg-danger-solid text-white enabled:hover:bg-danger-solid-strong",
};

const SIZES: Readonly<Record<ButtonSize, string>> = {
  sm: "h-8 gap-1.5 px-2.5 text-sm pointer-coarse:h-9",
  md: "h-9 gap-2 px-3.5 text-base pointer-coarse:h-10",
  lg: "h-11 gap-2 px-5 text-base",
};

/** The classes of a button, for a link that should look like one. */
export function buttonClass(variant: ButtonVariant = "secondary", size: ButtonSize = "md"): string {
  return cx(BASE, VARIANTS[variant], SIZES[size]);
}

export interface ButtonProps extends ComponentProps<"button"> {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: ReactNode;
  /** Shows that it is at work, and takes no second click. It keeps the focus. */
  readonly loading?: boolean;
}

/** A button. Without a `type` it never sends a form. */
export function Button({
  variant = "secondary",
  size = "md",
  icon,
  loading = false,
  type = "button",
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      // A form must not be sent a second time either.
      type={loading ? "button" : type}
      aria-disabled={loading || undefined}
      aria-busy={loading || undefined}
      onClick={loading ? undefined : onClick}
      className={cx(buttonClass(variant, size), "[&_svg]:size-4 [&_svg]:shrink-0", className)}
    >
      {loading ? <LoaderCircle className="animate-spin" aria-hidden="true" /> : icon}
      {children}
    </button>
  );
}
