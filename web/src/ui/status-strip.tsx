import { cx } from "./cx.ts";

export interface StatusCell {
  readonly state: "good" | "degraded" | "bad" | "none";
  /** What happened there, such as "14:00: 2 of 310 failed". */
  readonly label: string;
}

const STATES: Readonly<Record<StatusCell["state"], string>> = {
  good: "h-full bg-positive",
  degraded: "h-3/4 bg-warning",
  bad: "h-1/2 bg-danger",
  none: "h-full bg-hover",
};

export interface StatusStripProps {
  /** The whole in a sentence. */
  readonly label: string;
  /** Usually 24, the oldest first. */
  readonly cells: readonly StatusCell[];
}

/** How something did, hour by hour. Trouble is shorter as well as of another colour. */
export function StatusStrip({ label, cells }: StatusStripProps) {
  return (
    <span role="img" aria-label={label} className="flex h-6 w-full max-w-72 items-end gap-0.5">
      {cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place in the strip.
        <span key={index} title={cell.label} className="flex h-full min-w-0 grow items-end">
          <span className={cx("w-full rounded-[2px]", STATES[cell.state])} />
        </span>
      ))}
    </span>
  );
}
