import { formatExactMoney, formatMoney } from "./format.ts";

export interface MoneyProps {
  readonly credits: number;
  /** Writes a plus before what is gained. */
  readonly signed?: boolean;
  readonly className?: string | undefined;
}

/** An amount in the account's currency, short enough to read; its title has every decimal. */
export function Money({ credits, signed = false, className }: MoneyProps) {
  const plus = signed && credits > 0 ? "+" : "";
  const short = formatMoney(credits);
  const exact = formatExactMoney(credits);
  return (
    <span className={className}>
      <span className="whitespace-nowrap" title={exact === short ? undefined : `${plus}${exact}`}>
        {plus}
        {short}
      </span>
    </span>
  );
}
