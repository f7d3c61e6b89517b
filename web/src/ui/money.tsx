import { formatMoney } from "./format.ts";

export interface MoneyProps {
  readonly credits: number;
  /** Writes "credits" behind it. */
  readonly unit?: boolean;
  /** Writes a plus before what is gained. */
  readonly signed?: boolean;
  readonly className?: string | undefined;
}

/** An amount of credits, with every decimal that it has. */
export function Money({ credits, unit = false, signed = false, className }: MoneyProps) {
  return (
    <span className={className}>
      <span className="whitespace-nowrap">
        {signed && credits > 0 ? "+" : ""}
        {formatMoney(credits)}
      </span>
      {unit && <span className="text-[0.82em] font-normal text-muted"> {credits === 1 ? "credit" : "credits"}</span>}
    </span>
  );
}
