import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { showDay } from "./days.ts";
import { PrintableDocument, PrintablePage, PrintableParties, PrintableTable } from "./printable.tsx";
import { receiptQuery } from "./queries.ts";

const TEXTS = texts.billing.receiptPage;

/** One receipt, to print or to keep. */
export function ReceiptPage() {
  const { id } = useParams({ from: "/shell/billing/receipts/$id" });
  const { data, error, refetch } = useQuery(receiptQuery(id));
  return (
    <PrintablePage title={TEXTS.receipt(id)} isReady={data !== undefined}>
      {data !== undefined ? (
        <PrintableDocument>
          <dl className="flex flex-wrap gap-x-10 gap-y-3">
            <div>
              <dt className="text-sm text-muted">{TEXTS.number}</dt>
              <dd className="font-medium">{data.number}</dd>
            </div>
            <div>
              <dt className="text-sm text-muted">{TEXTS.day}</dt>
              <dd className="font-medium">{showDay(data.date)}</dd>
            </div>
          </dl>
          <PrintableParties issuer={data.issuer} recipient={data.recipient} />
          <PrintableTable
            title={TEXTS.received}
            head={[TEXTS.what, TEXTS.credits]}
            rows={[{ key: data.id, cells: [data.description, <Money key="amount" credits={data.amount} />] }]}
            sum={[TEXTS.total, <Money key="sum" credits={data.amount} />]}
          />
          <p className="text-sm text-muted">{TEXTS.creditsArePrepaidAnd}</p>
        </PrintableDocument>
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows label={TEXTS.theReceiptIsLoading} />
      )}
    </PrintablePage>
  );
}
