import type { AnswerOf } from "@trunkline/sdk";
import { Route } from "lucide-react";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { RequestAnalysis } from "../../shared/request-analysis.tsx";
import { QualityCell, TimeCell } from "../../shared/route-cells.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, FormField } from "../../ui/form.tsx";
import { Money } from "../../ui/money.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { Section } from "../../ui/section.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { nameOf, type Strategy } from "./strategies.ts";

type Preview = AnswerOf<"POST /v1/routing/preview">;
type Candidate = Preview["candidates"][number] & { readonly place: number };

const TEXTS = texts.routing.preview;

const TASKS = ["text", "chat", "code", "analysis", "image", "audio"] as const;

const COLUMNS: readonly Column<Candidate>[] = [
  { id: "place", header: TEXTS.order, cell: ({ place }) => place },
  {
    id: "model",
    header: TEXTS.model,
    cell: ({ model, reasons, clears_floor }) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-medium wrap-anywhere">{model}</span>
          {!clears_floor && <Badge tone="warning">{TEXTS.belowMinimum}</Badge>}
        </span>
        <span className="block min-w-64 text-sm text-muted">{reasons.join("; ")}</span>
      </>
    ),
  },
  {
    id: "cost",
    header: TEXTS.cost,
    align: "right",
    cell: ({ estimated_cost }) => <Money credits={estimated_cost} />,
  },
  {
    id: "worst",
    header: TEXTS.worst,
    align: "right",
    cell: ({ worst_case_cost }) => <Money credits={worst_case_cost} />,
  },
  {
    id: "time",
    header: TEXTS.latency,
    align: "right",
    cell: (candidate) => <TimeCell {...candidate} />,
  },
  {
    id: "quality",
    header: TEXTS.quality,
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
  const form = useApiForm({
    values: { input: "", task: "text" },
    send: (values) => api.call("POST /v1/routing/preview", { body: { ...values, route: strategy } }),
  });
  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      <Card>
        <Form form={{ ...form, fault: undefined }}>
          <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_10rem]">
            <FormField form={form} name="input" label={TEXTS.prompt} required>
              {(field) => <Textarea {...field} rows={3} placeholder={TEXTS.placeholder} />}
            </FormField>
            <FormField form={form} name="task" label={TEXTS.task}>
              {(field) => (
                <NativeSelect {...field}>
                  {TASKS.map((one) => (
                    <option key={one} value={one}>
                      {TEXTS.tasks[one]}
                    </option>
                  ))}
                </NativeSelect>
              )}
            </FormField>
          </div>
          <div className="flex flex-wrap items-center gap-3">
            <Button type="submit" icon={<Route aria-hidden="true" />} loading={form.isSending}>
              {TEXTS.submit}
            </Button>
            <span className="text-sm text-muted">
              {hasUnsavedWeights ? TEXTS.bySavedWeights(nameOf(strategy)) : TEXTS.by(nameOf(strategy))}
            </span>
          </div>
        </Form>
      </Card>
      <div aria-live="polite" className="grid min-w-0 gap-3">
        {form.error !== null && <ErrorState error={form.error} title={TEXTS.failed} />}
        {form.answer !== undefined && <RouteShown preview={form.answer} />}
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
              label: TEXTS.session,
              value: preview.sticky_to === null ? undefined : TEXTS.staysWith(preview.sticky_to),
            },
          ]}
        />
      </Card>
      <Table label={TEXTS.label} columns={COLUMNS} rows={rows} rowKey={({ model }) => model} />
      {preview.left_out.length > 0 && (
        <details className="text-sm">
          <summary className="rounded-sm text-muted hover:text-text">{TEXTS.leftOut(preview.left_out.length)}</summary>
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
