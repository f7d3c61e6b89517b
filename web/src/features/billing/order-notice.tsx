import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Banner } from "../../ui/banner.tsx";
import { formatMoney } from "../../ui/format.ts";
import { orderQuery } from "./queries.ts";

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
      return <Banner tone="positive" title={`${formatMoney(credits)} added`} />;
    case "open":
      return (
        <Banner tone="info" title="Your payment is being confirmed">
          This takes a few seconds, with some banks longer.
        </Banner>
      );
    case "mismatch":
      return (
        <Banner tone="warning" title="Another amount was paid than was ordered">
          Nothing was added. Write to whoever runs this service.
        </Banner>
      );
    default:
      return (
        <Banner tone="danger" title="The payment did not succeed">
          {reason ?? "Nothing was added. Try again."}
        </Banner>
      );
  }
}
