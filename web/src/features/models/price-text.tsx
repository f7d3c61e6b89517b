import type { Pricing } from "../../api/catalogue.ts";
import { priceLines } from "../../api/pricing.ts";
import { Money } from "../../ui/money.tsx";

/** The price of a model, short enough for a table. With an own provider key, the provider is paid separately. */
export function PriceText({ pricing, byOwnKey }: { readonly pricing: Pricing; readonly byOwnKey: boolean }) {
  const lines = priceLines(pricing);
  if (lines.length === 0) return <>{byOwnKey ? "By your key" : "Free"}</>;
  return (
    <span className="grid gap-x-2 leading-snug">
      {lines.map((line) => (
        <span key={line.label} className="whitespace-nowrap">
          <Money credits={line.credits} />
          <span className="text-xs text-muted">
            {" "}
            {line.per === "1k tokens" ? line.label.toLowerCase() : `per ${line.per}`}
          </span>
        </span>
      ))}
    </span>
  );
}
