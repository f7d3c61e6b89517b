import type { ReactNode } from "react";
import { cx } from "./cx.ts";

/** What a colour says; the words beside it say it too. */
export type Tone = "neutral" | "accent" | "positive" | "warning" | "danger" | "info";

const TONES: Readonly<Record<Tone, string>> = {
  neutral: "bg-hover text-muted",
  accent: "bg-accent-soft text-accent-text",
  positive: "bg-positive-soft text-positive",
  warning: "bg-warning-soft text-warning",
  danger: "bg-danger-soft text-danger",
  info: "bg-info-soft text-info",
};

export interface BadgeProps {
  readonly tone?: Tone;
  /** A dot before the word, for states. */
  readonly dot?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A word or two about a thing: its state, its kind. */
export function Badge({ tone = "neutral", dot = false, className, children }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex max-w-full items-center gap-1.5 rounded-full px-2 py-px text-xs font-medium whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {dot && <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-current" />}
      <span className="truncate">{children}</span>
    </span>
  );
}
