export interface MeterProps {
  readonly label: string;
  /** 0 to 1. */
  readonly value: number;
  /** What it means; seen beside it, and heard in place of the number. */
  readonly words: string;
}

/** How much of something there is, as a small bar with words beside it. */
export function Meter({ label, value, words }: MeterProps) {
  const share = Math.max(0, Math.min(1, value));
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2.5">
      <span
        role="meter"
        aria-label={label}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={words}
        className="inline-block h-1.5 w-20 shrink-0 overflow-hidden rounded-full bg-line-strong"
      >
        <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </span>
      <span>{words}</span>
    </span>
  );
}
