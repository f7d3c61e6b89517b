import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Banner } from "../../ui/banner.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatDay, formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { showDay, showMonth } from "./days.ts";
import { PrintableDocument, PrintablePage, PrintableParties, PrintableTable } from "./printable.tsx";
import { statementQuery } from "./queries.ts";

/** One month, to print or to keep. */
export function StatementPage() {
  const { month } = useParams({ from: "/shell/billing/statements/$month" });
  const { data, error, refetch } = useQuery(statementQuery(month));
  const title = /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? `Statement of ${showMonth(month)}` : "Statement";
  if (data === undefined) {
    return (
      <PrintablePage title={title} isReady={false}>
        {error !== null ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : (
          <SkeletonRows label="The statement is loading" />
        )}
      </PrintablePage>
    );
  }
  return (
    <PrintablePage title={title} isReady>
      {!data.complete && <Banner>This month is not over. The statement shows it as it stands.</Banner>}
      <PrintableDocument>
        <p>
          <span className="text-muted">From</span> {formatDay(data.from, data.time_zone)}{" "}
          <span className="text-muted">to</span> {formatDay(lastMoment(data.to), data.time_zone)}
        </p>
        <PrintableParties issuer={data.issuer} recipient={data.recipient} />
        <PrintableTable
          title="Balance"
          head={[`In the time zone ${data.time_zone}`, "Credits"]}
          rows={[
            {
              key: "opening",
              cells: ["Opening balance", <Money key="sum" credits={data.opening_balance} />],
            },
            { key: "incoming", cells: ["Incoming", <Money key="sum" credits={data.incoming} signed />] },
            ...(data.refunds === 0
              ? []
              : [{ key: "refunds", cells: ["Refunds and disputes", <Money key="sum" credits={-data.refunds} />] }]),
            { key: "charges", cells: ["Charges", <Money key="sum" credits={-data.charges} />] },
          ]}
          sum={["Closing balance", <Money key="sum" credits={data.closing_balance} />]}
        />
        {data.receipts.length > 0 && (
          <PrintableTable
            title="Incoming"
            head={["What", "Day", "Receipt", "Credits"]}
            rows={data.receipts.map((receipt) => ({
              key: receipt.id,
              cells: [
                receipt.description,
                showDay(receipt.date),
                <Link key="link" to="/billing/receipts/$id" params={{ id: receipt.id }} className={TEXT_LINK}>
                  {receipt.number}
                </Link>,
                <Money key="amount" credits={receipt.amount} />,
              ],
            }))}
            sum={["Total", "", "", <Money key="sum" credits={data.incoming} />]}
          />
        )}
        {data.by_model.length > 0 && (
          <>
            <PrintableTable
              title="Charges by model"
              head={["Model", "Requests", "Credits"]}
              rows={data.by_model.map(({ model, requests, cost }) => ({
                key: model,
                cells: [model, formatNumber(requests), <Money key="cost" credits={cost} />],
              }))}
              sum={["Total", "", <Money key="sum" credits={data.charges} />]}
            />
            <PrintableTable
              title="Charges by key"
              head={["Key", "Requests", "Credits"]}
              rows={data.by_key.map((share) => ({
                key: share.key_id,
                cells: [
                  share.key_name ?? share.key_id,
                  formatNumber(share.requests),
                  <Money key="cost" credits={share.cost} />,
                ],
              }))}
              sum={["Total", "", <Money key="sum" credits={data.charges} />]}
            />
          </>
        )}
      </PrintableDocument>
    </PrintablePage>
  );
}

/** The moment before one that is not part of it any more. */
function lastMoment(end: string): Date {
  return new Date(new Date(end).getTime() - 1);
}
