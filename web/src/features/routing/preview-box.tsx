import { useMutation } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Route } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { RequestAnalysis } from "../../shared/request-analysis.tsx";
import { QualityCell, TimeCell } from "../../shared/route-cells.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Money } from "../../ui/money.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { Section } from "../../ui/section.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { nameOf, type Strategy } from "./strategies.ts";

type Preview = AnswerOf<"POST /v1/routing/preview">;
type Candidate = Preview["candidates"][number] & { readonly place: number };

const TASKS = ["text", "chat", "code", "analysis", "image", "audio"] as const;

const COLUMNS: readonly Column<Candidate>[] = [
  { id: "place", header: "Order", cell: ({ place }) => place },
  {
    id: "model",
    header: "Model",
    cell: ({ model, reasons, clears_floor }) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-medium wrap-anywhere">{model}</span>
          {!clears_floor && <Badge tone="warning">below the floor</Badge>}
        </span>
        <span className="block min-w-64 text-sm text-muted">{reasons.join("; ")}</span>
      </>
    ),
  },
  {
    id: "cost",
    header: "Estimated cost",
    align: "right",
    cell: ({ estimated_cost }) => <Money credits={estimated_cost} />,
  },
  {
    id: "worst",
    header: "At most",
    align: "right",
    cell: ({ worst_case_cost }) => <Money credits={worst_case_cost} />,
  },
  {
    id: "time",
    header: "Expected time",
    align: "right",
    cell: (candidate) => <TimeCell {...candidate} />,
  },
  {
    id: "quality",
    header: "Quality",
    align: "right",
    cell: (candidate) => <QualityCell {...candidate} />,
  },
];

export interface PreviewBoxProps {
  readonly strategy: Strategy;
  /** The weights on the page are not the saved ones, which the preview goes by. */
  readonly hasUnsavedWeights: boolean;
}

/** Shows who would answer a request, without sending it. */
export function PreviewBox({ strategy, hasUnsavedWeights }: PreviewBoxProps) {
  const [input, setInput] = useState("");
  const [task, setTask] = useState("text");
  const preview = useMutation({
    mutationFn: () => api.call("POST /v1/routing/preview", { body: { input, task, route: strategy } }),
  });
  return (
    <Section
      title="Try it"
      description="See which models could answer a request and in which order. Nothing is sent and nothing is charged."
    >
      <Card>
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (input.trim() !== "") preview.mutate();
          }}
        >
          <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_10rem]">
            <Field label="Request">
              <Textarea
                rows={3}
                value={input}
                onChange={(event) => setInput(event.target.value)}
                placeholder="Summarise the attached contract in five sentences."
              />
            </Field>
            <Field label="Task">
              <NativeSelect value={task} onChange={(event) => setTask(event.target.value)}>
                {TASKS.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </NativeSelect>
            </Field>
          </div>
          <div className="flex flex-wrap items-center gap-3">
            <Button
              type="submit"
              icon={<Route aria-hidden="true" />}
              loading={preview.isPending}
              disabled={input.trim() === ""}
            >
              Show the route
            </Button>
            <span className="text-sm text-muted">
              By {nameOf(strategy).toLowerCase()}
              {hasUnsavedWeights && ", with the weights that are saved"}.
            </span>
          </div>
        </form>
      </Card>
      <div aria-live="polite" className="grid min-w-0 gap-3">
        {preview.isError && (
          <ErrorState error={preview.error} title="There is no route" onRetry={() => preview.mutate()} />
        )}
        {preview.isSuccess && <RouteShown preview={preview.data} />}
      </div>
    </Section>
  );
}

function RouteShown({ preview }: { readonly preview: Preview }) {
  const rows = preview.candidates.map((candidate, index) => ({ ...candidate, place: index + 1 }));
  return (
    <>
      <Card>
        <RequestAnalysis
          reading={preview.reading}
          contest={preview}
          more={[
            {
              label: "Session",
              value: preview.sticky_to === null ? undefined : `It stays with ${preview.sticky_to}.`,
            },
          ]}
        />
      </Card>
      <Table label="Models in the order of trying" columns={COLUMNS} rows={rows} rowKey={({ model }) => model} />
      {preview.left_out.length > 0 && (
        <details className="text-sm">
          <summary className="rounded-sm text-muted hover:text-text">
            {preview.left_out.length === 1
              ? "One model was left out"
              : `${preview.left_out.length} models were left out`}
          </summary>
          <ul className="mt-2 grid gap-1">
            {preview.left_out.map(({ model, reason }) => (
              <li key={model} className="wrap-anywhere">
                <span className="font-medium">{model}</span>: <span className="text-muted">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
