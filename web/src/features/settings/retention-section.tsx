import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, NumberField } from "../../ui/form.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.privacy.retention;

type Retention = AnswerOf<"GET /v1/settings/retention">;
type Kept = Retention["contents"];

const KINDS = ["contents", "details", "responses", "audit_log"] as const;
const LONGEST_DAYS = 3_650;

export const retentionQuery = queryOptions({
  queryKey: ["settings", "retention"],
  queryFn: ({ signal }) => api.call("GET /v1/settings/retention", { signal }),
});

/** For how many days the organisation's data is kept, as far as it may choose. */
export function RetentionSection({ mayChange }: { readonly mayChange: boolean }) {
  const { data, error, refetch } = useQuery(retentionQuery);
  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      {data !== undefined ? (
        <RetentionForm key={JSON.stringify(data)} retention={data} mayChange={mayChange} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={4} label={TEXTS.loading} />
      )}
    </Section>
  );
}

interface RetentionFormProps {
  readonly retention: Retention;
  readonly mayChange: boolean;
}

function RetentionForm({ retention, mayChange }: RetentionFormProps) {
  const queries = useQueryClient();
  const own = (kind: (typeof KINDS)[number]): number | undefined => retention[kind].own_days ?? undefined;
  const form = useApiForm({
    values: {
      contents: own("contents"),
      details: own("details"),
      responses: own("responses"),
      audit_log: own("audit_log"),
    },
    send: ({ contents = null, details = null, responses = null, audit_log = null }) =>
      api.call("PATCH /v1/settings/retention", { body: { contents, details, responses, audit_log } }),
    onSent: (changed) => {
      queries.setQueryData(retentionQuery.queryKey, changed);
      toast({ title: TEXTS.saved });
    },
  });
  return (
    <Card>
      <Form form={form}>
        <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
          {KINDS.map((kind) => (
            <NumberField
              key={kind}
              form={form}
              name={kind}
              label={TEXTS.kinds[kind]}
              hint={`${TEXTS.kindTexts[kind]} ${limitsOf(retention[kind])}`}
              check={(days) => (isAllowed(days, retention[kind]) ? undefined : limitsOf(retention[kind]))}
              disabled={!mayChange}
              placeholder={usualOf(retention[kind])}
              suffix={TEXTS.days}
              inputClassName="pr-16"
            />
          ))}
        </div>
        <dl className="grid divide-y divide-line border-t border-line pt-1">
          {TEXTS.fixed.map(([what, howLong]) => (
            <div key={what} className="grid gap-x-4 py-2 sm:grid-cols-[13rem_1fr]">
              <dt>{what}</dt>
              <dd className="text-muted">{howLong}</dd>
            </div>
          ))}
        </dl>
        {mayChange && (
          <Button type="submit" loading={form.isSending} disabled={!form.isDirty} className="justify-self-start">
            {TEXTS.save}
          </Button>
        )}
      </Form>
    </Card>
  );
}

/** What holds where nothing is chosen. */
function usualOf({ own_days: own, days }: Kept): string {
  return own === null && days !== null ? String(days) : TEXTS.unlimited;
}

function limitsOf({ min_days: least, max_days: most }: Kept): string {
  return most === null ? TEXTS.atLeast(least) : TEXTS.between(least, most);
}

function isAllowed(days: number | undefined, { min_days: least, max_days: most }: Kept): boolean {
  return days === undefined || (Number.isInteger(days) && days >= least && days <= (most ?? LONGEST_DAYS));
}
