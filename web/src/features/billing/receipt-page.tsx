import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { showDay } from "./days.ts";
import { PrintableDocument, PrintablePage, PrintableParties, PrintableTable } from "./printable.tsx";
import { receiptQuery } from "./queries.ts";

/** One receipt, to print or to keep. */
export function ReceiptPage() {
  const { id } = useParams({ from: "/shell/billing/receipts/$id" });
  const { data, error, refetch } = useQuery(receiptQuery(id));
  return (
    <PrintablePage title={`Receipt ${id}`} isReady={data !== undefined}>
      {data !== undefined ? (
        <PrintableDocument>
          <dl className="flex flex-wrap gap-x-10 gap-y-3">
            <div>
              <dt className="text-sm text-muted">Number</dt>
              <dd className="font-medium">{data.number}</dd>
            </div>
            <div>
              <dt className="text-sm text-muted">Day</dt>
              <dd className="font-medium">{showDay(data.date)}</dd>
            </div>
          </dl>
          <PrintableParties issuer={data.issuer} recipient={data.recipient} />
          <PrintableTable
            title="Received"
            head={["What", "Credits"]}
            rows={[{ key: data.id, cells: [data.description, <Money key="amount" credits={data.amount} />] }]}
            sum={["Total", <Money key="sum" credits={data.amount} />]}
          />
          <p className="text-sm text-muted">
            Credits are prepaid and pay for requests to models. One credit is one US dollar of list price.
          </p>
        </PrintableDocument>
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows label="The receipt is loading" />
      )}
    </PrintablePage>
  );
}
