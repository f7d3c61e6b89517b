import type { AnswerOf, QueryOf } from "@trunkline/sdk";
import { Filter } from "lucide-react";
import { useMemo } from "react";
import { texts } from "../../texts/texts.ts";
import { formatNumber, formatPercent } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/section.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { CsvButton } from "./csv-button.tsx";
import type { Grouping, UsageSearch } from "./usage-search.ts";

type Row = AnswerOf<"GET /v1/usage/breakdown">["data"][number];

const TEXTS = texts.usage.groups;

interface GroupTableProps {
  readonly by: Exclude<Grouping, "none">;
  readonly rows: readonly Row[];
  readonly asked: QueryOf<"GET /v1/usage/breakdown">;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}

/** Every group of the range, the dearest first, each a way to look at it alone. */
export function GroupTable({ by, rows, asked, onChange }: GroupTableProps) {
  const columns = useMemo((): Column<Row>[] => {
    const nameOf = (row: Row) =>
      String(
        (by === "key" ? row.key_name : by === "model" ? row.model_name : row[by]) || row[by] || texts.usage.noGroup,
      );
    // The texts of a tag are looked at under its name.
    const tagName = String(asked.tag ?? "").split("=")[0] ?? "";
    const filterOf = (row: Row) => (by === "tag" ? `${tagName}=${String(row.tag)}` : row[by]);
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
        header: TEXTS.names[by],
        cell: (row) => <span className="font-medium wrap-anywhere">{nameOf(row)}</span>,
        sortBy: nameOf,
      },
      number("requests", TEXTS.requests),
      number("errors", TEXTS.errors),
      {
        id: "rate",
        header: TEXTS.errorRate,
        align: "right",
        wideOnly: true,
        cell: (row) => formatPercent(row.errors / Math.max(1, row.requests + row.errors)),
        sortBy: (row) => row.errors / Math.max(1, row.requests + row.errors),
      },
      { ...number("input_tokens", TEXTS.inputTokens), wideOnly: true },
      { ...number("output_tokens", TEXTS.outputTokens), wideOnly: true },
      {
        id: "cost",
        header: TEXTS.cost,
        align: "right",
        cell: (row) => <Money credits={row.cost} />,
        sortBy: (row) => row.cost,
      },
      {
        id: "only",
        header: TEXTS.filter,
        hideHeader: true,
        align: "right",
        cell: (row) =>
          row[by] === "" ? null : (
            <IconButton
              size="sm"
              label={TEXTS.filterBy(nameOf(row))}
              icon={<Filter aria-hidden="true" />}
              onClick={() => onChange({ [by]: filterOf(row), by: by === "model" ? "key" : "model" })}
            />
          ),
      },
    ];
  }, [by, asked.tag, onChange]);
  return (
    <Section
      title={TEXTS.titles[by]}
      actions={<CsvButton operation="GET /v1/usage/breakdown" query={asked} file={`usage-by-${by}`} />}
    >
      <Table
        label={TEXTS.labels[by]}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row[by])}
        initialSort={{ id: "cost", descending: true }}
        className="max-h-128"
      />
    </Section>
  );
}
