import { useMemo } from "react";
import { texts } from "../../texts/texts.ts";
import { formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { HealthStrip } from "./health-strip.tsx";
import { StateBadge, stateWords } from "./model-state.tsx";
import type { Availability, OwnModel, Traffic } from "./provider-queries.ts";

const TEXTS = texts.providers.modelsTable;

export interface ModelsTableProps {
  readonly models: readonly OwnModel[];
  readonly month: Traffic | undefined;
  readonly hours: Traffic | undefined;
  readonly availability: ReadonlyMap<string, Availability> | undefined;
  readonly onOpen: (model: OwnModel) => void;
}

/** One's models with their state, their day and their month. */
export function ModelsTable({ models, month, hours, availability, onOpen }: ModelsTableProps) {
  const columns = useMemo(() => columnsFor(month, hours, availability), [month, hours, availability]);
  return (
    <Table
      label={TEXTS.yourModels}
      columns={columns}
      rows={models}
      rowKey={({ id }) => id}
      onRowClick={onOpen}
      className="max-h-[70vh]"
    />
  );
}

function columnsFor(
  month: Traffic | undefined,
  hours: Traffic | undefined,
  availability: ModelsTableProps["availability"],
): readonly Column<OwnModel>[] {
  const isOf = (model: OwnModel) => (row: { provider: string; model: string }) =>
    row.provider === model.provider && row.model === model.name;
  const sumsOf = (model: OwnModel) => month?.models.find(isOf(model));
  return [
    {
      id: "name",
      header: TEXTS.model,
      cell: (model) => (
        <span className="grid min-w-28">
          <span className="wrap-anywhere">{model.name}</span>
          <span className="text-sm text-muted sm:hidden">
            {TEXTS.requestCount(sumsOf(model)?.requests ?? 0)} · <Money credits={sumsOf(model)?.earnings ?? 0} />
          </span>
        </span>
      ),
      sortBy: ({ name }) => name,
    },
    {
      id: "state",
      header: TEXTS.state,
      cell: ({ state, last_check, reconciliation, health }) => (
        <span className="grid gap-0.5 py-1 sm:min-w-52">
          <span>
            <StateBadge state={state} />
          </span>
          <span className="text-sm text-muted max-sm:hidden">
            {last_check?.passed === false ? TEXTS.itsLastCheckFailed : stateWords(state)}
          </span>
          {health.outage !== null && (
            <span className="text-sm text-danger">{TEXTS.outOfService(health.outage.reason)}</span>
          )}
          {reconciliation.flagged && <span className="text-sm text-warning">{TEXTS.yourCountAndOurs}</span>}
        </span>
      ),
      sortBy: ({ state }) => state,
    },
    {
      id: "health",
      header: TEXTS.lastHours,
      wideOnly: true,
      cell: (model) => (
        <span className="block w-40">
          <HealthStrip
            name={model.name}
            availability={availability?.get(`${model.provider}/${model.name}`)}
            rows={hours?.data.filter(isOf(model)) ?? []}
            now={Date.now()}
          />
        </span>
      ),
    },
    {
      id: "requests",
      header: TEXTS.requests,
      align: "right",
      wideOnly: true,
      cell: (model) => formatNumber(sumsOf(model)?.requests ?? 0),
      sortBy: (model) => sumsOf(model)?.requests ?? 0,
    },
    {
      id: "earnings",
      header: TEXTS.earnings,
      align: "right",
      wideOnly: true,
      cell: (model) => <Money credits={sumsOf(model)?.earnings ?? 0} />,
      sortBy: (model) => sumsOf(model)?.earnings ?? 0,
    },
  ];
}
