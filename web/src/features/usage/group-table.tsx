import type { AnswerOf, QueryOf } from "@trunkline/sdk";
import { Filter } from "lucide-react";
import { useMemo } from "react";
import { formatNumber, formatPercent } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/section.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { CsvButton } from "./csv-button.tsx";
import type { Grouping, UsageSearch } from "./usage-search.ts";

type Row = AnswerOf<"GET /v1/usage/breakdown">["data"][number];

const WORDS = { model: "Model", key: "Key", task: "Task", provider: "Provider" } as const;

interface GroupTableProps {
  readonly by: Exclude<Grouping, "none">;
  readonly rows: readonly Row[];
  readonly asked: QueryOf<"GET /v1/usage/breakdown">;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}

/** Every group of the range, the dearest first, each a way to look at it alone. */
export function GroupTable({ by, rows, asked, onChange }: GroupTableProps) {
  const columns = useMemo((): Column<Row>[] => {
    const nameOf = (row: Row) => (by === "key" ? row.key_name : row[by]) || row[by] || "None";
    const number = (id: "requests" | "errors" | "input_tokens" | "output_tokens", header: string): Column<Row> => ({
      id,
      header,
      align: "right",
      cell: (row) => formatNumber(row[id]),
      sortBy: (row) => row[id],
    });
    return [
      {
        id: "name",
        header: WORDS[by],
        cell: (row) => <span className="font-medium wrap-anywhere">{nameOf(row)}</span>,
        sortBy: nameOf,
      },
      number("requests", "Requests"),
      number("errors", "Errors"),
      {
        id: "rate",
        header: "Error rate",
        align: "right",
        wideOnly: true,
        cell: (row) => formatPercent(row.errors / Math.max(1, row.requests + row.errors)),
        sortBy: (row) => row.errors / Math.max(1, row.requests + row.errors),
      },
      { ...number("input_tokens", "Input tokens"), wideOnly: true },
      { ...number("output_tokens", "Output tokens"), wideOnly: true },
      {
        id: "cost",
        header: "Cost",
        align: "right",
        cell: (row) => <Money credits={row.cost} />,
        sortBy: (row) => row.cost,
      },
      {
        id: "only",
        header: "Show alone",
        hideHeader: true,
        align: "right",
        cell: (row) =>
          row[by] === "" ? null : (
            <IconButton
              size="sm"
              label={`Show ${nameOf(row)} alone`}
              icon={<Filter aria-hidden="true" />}
              onClick={() => onChange({ [by]: row[by], by: by === "model" ? "key" : "model" })}
            />
          ),
      },
    ];
  }, [by, onChange]);
  return (
    <Section
      title={`By ${by}`}
      actions={<CsvButton operation="GET /v1/usage/breakdown" query={asked} name={`usage-by-${by}`} />}
    >
      <Table
        label={`Usage by ${by}`}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row[by])}
        initialSort={{ id: "cost", descending: true }}
        className="max-h-128"
      />
    </Section>
  );
}
