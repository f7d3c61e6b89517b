import type { ReactNode } from "react";
import { cx } from "./cx.ts";

const TONES = { accent: "bg-accent", warning: "bg-warning", danger: "bg-danger-solid" } as const;

export interface ProgressProps {
  readonly label: string;
  readonly value: number;
  readonly max?: number;
  readonly tone?: keyof typeof TONES;
  /** Shown beside the label, such as "4.20 of 10.00". */
  readonly text?: ReactNode;
  readonly hideLabel?: boolean;
}

/** How much of a whole is done or used. */
export function Progress({ label, value, max = 100, tone = "accent", text, hideLabel = false }: ProgressProps) {
  const share = max <= 0 ? 0 : Math.max(0, Math.min(1, value / max));
  return (
    <div className="grid gap-1.5">
      {!hideLabel && (
        <div className="flex justify-between gap-4 text-sm">
          <span>{label}</span>
          <span className="text-muted">{text}</span>
        </div>
      )}
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        tabIndex={-1}
        className="h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div
          className={cx("h-full rounded-full transition-[width]", TONES[tone])}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}
