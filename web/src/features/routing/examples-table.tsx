import { Link } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";
import { formatMs } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { Time } from "../../ui/time.tsx";
import { signed } from "./effect-words.ts";
import type { StrategyEffect } from "./strategies.ts";

const TEXTS = texts.routing.whatIf.examples;

type Example = StrategyEffect["examples"][number];

const COLUMNS: readonly Column<Example>[] = [
  {
    id: "request",
    header: TEXTS.request,
    cell: (example) => (
      <Link to="/requests/$id" params={{ id: example.request_id }} className={TEXT_LINK}>
        <Time at={example.created_at} form="date-time" />
      </Link>
    ),
    sortBy: (example) => example.created_at,
  },
  { id: "from", header: TEXTS.from, cell: ({ from }) => <Model name={from} /> },
  { id: "to", header: TEXTS.to, cell: ({ to }) => <Model name={to} /> },
  {
    id: "cost",
    header: TEXTS.cost,
    align: "right",
    cell: ({ difference }) => <Money credits={difference.cost} signed />,
    sortBy: ({ difference }) => difference.cost,
  },
  {
    id: "time",
    header: TEXTS.time,
    align: "right",
    cell: ({ difference }) => signed(difference.expected_latency_ms, formatMs),
    sortBy: ({ difference }) => difference.expected_latency_ms,
  },
  {
    id: "quality",
    header: TEXTS.quality,
    align: "right",
    cell: ({ difference }) => signed(difference.predicted_quality, (value) => value.toFixed(2)),
    sortBy: ({ difference }) => difference.predicted_quality,
  },
];

/** A long name breaks, and a short one does not. */
function Model({ name }: { readonly name: string }) {
  return <span className="block min-w-36 wrap-anywhere">{name}</span>;
}

/** Some of the requests that would have gone elsewhere. */
export function ExamplesTable({ examples }: { readonly examples: readonly Example[] }) {
  return (
    <Table
      label={TEXTS.label}
      columns={COLUMNS}
      rows={examples}
      rowKey={({ request_id }) => request_id}
      className="max-h-128"
    />
  );
}
