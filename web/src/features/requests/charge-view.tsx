import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { formatNumber } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { chargeLines, type RequestDetail } from "./request-words.ts";

const TEXTS = texts.requestDetail.charge;

/** What was counted, at which price, what was reserved and what it cost. */
export function ChargeView({ detail }: { readonly detail: RequestDetail }) {
  return (
    <KeyValue
      items={[
        ...chargeLines(detail).map(({ what, count, price, text }) => ({
          label: what,
          value: <Sentence text={text} parts={{ count: formatNumber(count), price: <Money credits={price} /> }} />,
        })),
        { label: TEXTS.source, value: TEXTS.sources[detail.usage_source] },
        { label: TEXTS.price, value: priceText(detail) },
        { label: TEXTS.reserved, value: <Money credits={detail.held} /> },
        {
          label: TEXTS.cost,
          value: (
            <span className="font-semibold">
              <Money credits={detail.cost} />
            </span>
          ),
        },
      ]}
    />
  );
}

function priceText({ price_version: version, legs, price }: RequestDetail): string {
  if (version === null) return TEXTS.noPrice;
  if (legs !== undefined) return TEXTS.priceByLeg;
  return price === null ? TEXTS.free : TEXTS.version(version);
}
