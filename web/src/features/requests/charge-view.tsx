import { formatNumber } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { chargeLines, type RequestDetail } from "./request-words.ts";

const SOURCES = {
  provider: "the provider's own count",
  own: "our own count, as the provider's was missing or not to be believed",
  none: "nothing was delivered, so nothing was counted",
} as const;

/** What was counted, at which price, what was set aside and what was charged. */
export function ChargeView({ detail }: { readonly detail: RequestDetail }) {
  const lines = chargeLines(detail);
  return (
    <KeyValue
      items={[
        ...lines.map(({ what, count, price, per }) => ({
          label: what,
          value: (
            <>
              {formatNumber(count)} at <Money credits={price} /> per {per}
            </>
          ),
        })),
        { label: "Counted by", value: SOURCES[detail.usage_source] },
        {
          label: "Price",
          value:
            detail.price_version === null
              ? "none, as no model was called"
              : detail.legs !== undefined
                ? "each part by that of its own model, see above"
                : detail.price === null
                  ? "free, as the model is built in"
                  : `version ${detail.price_version}, which held when the request arrived`,
        },
        { label: "Set aside", value: <Money credits={detail.held} /> },
        {
          label: "Charged",
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
