import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { formatMoney } from "../../ui/format.ts";
import { orderQuery } from "./queries.ts";

const TEXTS = texts.billing.orderNotice;

/** What has become of the payment that one comes back from. The balance follows by itself. */
export function OrderNotice({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const { data } = useQuery(orderQuery(id));
  const state = data?.state;
  useEffect(() => {
    if (state !== "paid") return;
    void queries.invalidateQueries({ queryKey: ["billing"], predicate: ({ queryKey }) => queryKey[1] !== "order" });
    void queries.invalidateQueries({ queryKey: ["balance"] });
  }, [state, queries]);
  if (data === undefined) return null;
  return <div role="status">{noticeOf(data.state, data.credits, data.reason)}</div>;
}

function noticeOf(state: string, credits: number, reason: string | null) {
  switch (state) {
    case "paid":
      return <Banner tone="positive" title={TEXTS.added(formatMoney(credits))} />;
    case "open":
      return (
        <Banner tone="info" title={TEXTS.yourPaymentIsBeing}>
          {TEXTS.thisTakesAFew}
        </Banner>
      );
    case "mismatch":
      return (
        <Banner tone="warning" title={TEXTS.anotherAmountWasPaid}>
          {TEXTS.nothingWasAddedWrite}
        </Banner>
      );
    default:
      return (
        <Banner tone="danger" title={TEXTS.thePaymentDidNot}>
          {reason ?? TEXTS.nothingWasAddedTry}
        </Banner>
      );
  }
}
