import type { Pricing } from "../../api/catalogue.ts";
import { isFree, priceLines } from "../../api/pricing.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Money } from "../../ui/money.tsx";

const TEXTS = texts.models;

interface PriceTextProps {
  readonly pricing: Pricing;
  /** With an own provider key: what the provider asks besides, as far as it is known. */
  readonly provider?: Pricing | null | undefined;
  /** With an own provider key, the provider is paid separately. */
  readonly byOwnKey: boolean;
  /** Says "per 1M tokens" with each price. */
  readonly long?: boolean;
}

/** The prices of a model, one a line. */
export function PriceText({ pricing, provider, byOwnKey, long = false }: PriceTextProps) {
  if (byOwnKey && provider != null && isFree(pricing))
    return (
      <span className="grid gap-0.5">
        <PriceText pricing={provider} byOwnKey={false} long={long} />
        <span className="text-xs text-muted">{TEXTS.byYourKey}</span>
      </span>
    );
  const lines = priceLines(pricing);
  if (lines.length === 0) return <>{byOwnKey ? TEXTS.byYourKey : TEXTS.free}</>;
  const forms = long ? TEXTS.price.long : TEXTS.price.short;
  return (
    <span className="grid gap-x-2 leading-snug">
      {lines.map(({ kind, credits }) => (
        <span key={kind} className="text-sm whitespace-nowrap text-muted max-sm:whitespace-normal">
          <Sentence
            text={forms[kind]}
            parts={{ amount: <Money credits={credits} className="text-base text-text" /> }}
          />
        </span>
      ))}
    </span>
  );
}
