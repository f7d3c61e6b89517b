import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatDay, formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { showDay, showMonth } from "./days.ts";
import { PrintableDocument, PrintablePage, PrintableParties, PrintableTable } from "./printable.tsx";
import { statementQuery } from "./queries.ts";

const TEXTS = texts.billing.statementPage;

/** One month, to print or to keep. */
export function StatementPage() {
  const { month } = useParams({ from: "/shell/billing/statements/$month" });
  const { data, error, refetch } = useQuery(statementQuery(month));
  const title = /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? TEXTS.statementOf(showMonth(month)) : TEXTS.statement;
  if (data === undefined) {
    return (
      <PrintablePage title={title} isReady={false}>
        {error !== null ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : (
          <SkeletonRows label={TEXTS.theStatementIsLoading} />
        )}
      </PrintablePage>
    );
  }
  return (
    <PrintablePage title={title} isReady pdf={`/v1/statements/${data.month}/pdf`}>
      {!data.complete && <Banner>{TEXTS.thisMonthIsNot}</Banner>}
      <PrintableDocument>
        <p>
          <span className="text-muted">{TEXTS.from}</span> {formatDay(data.from, data.time_zone)}{" "}
          <span className="text-muted">{TEXTS.to}</span> {formatDay(lastMoment(data.to), data.time_zone)}
        </p>
        <PrintableParties issuer={data.issuer} recipient={data.recipient} />
        <PrintableTable
          title={TEXTS.balance}
          head={[TEXTS.inTheTimeZone(data.time_zone), TEXTS.credits]}
          rows={[
            {
              key: "opening",
              cells: [TEXTS.openingBalance, <Money key="sum" credits={data.opening_balance} />],
            },
            { key: "incoming", cells: [TEXTS.incoming, <Money key="sum" credits={data.incoming} signed />] },
            ...(data.refunds === 0
              ? []
              : [{ key: "refunds", cells: [TEXTS.refundsAndDisputes, <Money key="sum" credits={-data.refunds} />] }]),
            { key: "charges", cells: [TEXTS.charges, <Money key="sum" credits={-data.charges} />] },
          ]}
          sum={[TEXTS.closingBalance, <Money key="sum" credits={data.closing_balance} />]}
        />
        {data.receipts.length > 0 && (
          <PrintableTable
            title={TEXTS.incoming}
            head={[TEXTS.what, TEXTS.day, TEXTS.receipt, TEXTS.credits]}
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
            sum={[TEXTS.total, "", "", <Money key="sum" credits={data.incoming} />]}
          />
        )}
        {data.by_model.length > 0 && (
          <>
            <PrintableTable
              title={TEXTS.chargesByModel}
              head={[TEXTS.model, TEXTS.requests, TEXTS.credits]}
              rows={data.by_model.map(({ model, requests, cost }) => ({
                key: model,
                cells: [model, formatNumber(requests), <Money key="cost" credits={cost} />],
              }))}
              sum={[TEXTS.total, "", <Money key="sum" credits={data.charges} />]}
            />
            <PrintableTable
              title={TEXTS.chargesByKey}
              head={[TEXTS.key, TEXTS.requests, TEXTS.credits]}
              rows={data.by_key.map((share) => ({
                key: share.key_id,
                cells: [
                  share.key_name ?? share.key_id,
                  formatNumber(share.requests),
                  <Money key="cost" credits={share.cost} />,
                ],
              }))}
              sum={[TEXTS.total, "", <Money key="sum" credits={data.charges} />]}
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
