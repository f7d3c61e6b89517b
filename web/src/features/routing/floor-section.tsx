import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, FormValue, NumberField } from "../../ui/form.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { floorQuery } from "./routing-queries.ts";

const TEXTS = texts.routing.minimum;

/** What the lowest cost asks of a model's quality: the service's own floor, or one of the organisation. */
export function FloorSection({ mayChange }: { readonly mayChange: boolean }) {
  const floor = useQuery(floorQuery);
  return (
    <Section className="grid-rows-[auto_1fr]" title={TEXTS.title} description={TEXTS.description}>
      {floor.isPending ? (
        <SkeletonRows rows={2} label={TEXTS.loading} />
      ) : floor.isError ? (
        <ErrorState error={floor.error} onRetry={() => floor.refetch()} />
      ) : (
        <FloorForm
          // Another person may have saved meanwhile: show that.
          key={String(floor.data.min_quality)}
          saved={floor.data.min_quality}
          mayChange={mayChange}
        />
      )}
    </Section>
  );
}

interface FloorFormProps {
  /** null: the service's own. */
  readonly saved: number | null;
  readonly mayChange: boolean;
}

function FloorForm({ saved, mayChange }: FloorFormProps) {
  const queries = useQueryClient();
  const form = useApiForm({
    values: { whose: saved === null ? "service" : "own", min_quality: (saved ?? undefined) as number | undefined },
    send: ({ whose, min_quality: floor = null }) =>
      api.call("PUT /v1/routing/floor", { body: { min_quality: whose === "own" ? floor : null } }),
    onSent: (now) => {
      queries.setQueryData(floorQuery.queryKey, now);
      void queries.invalidateQueries({ queryKey: ["routing-report"] });
      toast({
        tone: "positive",
        title: TEXTS.saved,
        description: now.min_quality === null ? TEXTS.savedService : TEXTS.savedOwn(now.min_quality),
      });
    },
  });
  const isOwn = form.watch("whose") === "own";
  const floor = form.watch("min_quality");
  const isDirty = isOwn !== (saved !== null) || (isOwn && floor !== saved);
  return (
    <Card>
      <UnsavedGuard when={isDirty} />
      <Form form={form} className="justify-items-start">
        <FormValue form={form} name="whose">
          {({ value, onChange }) => (
            <Segmented
              label={TEXTS.whose}
              value={value}
              onValueChange={onChange}
              options={[
                { value: "service", label: TEXTS.service },
                { value: "own", label: TEXTS.own },
              ]}
            />
          )}
        </FormValue>
        {isOwn && (
          <NumberField
            form={form}
            name="min_quality"
            label={TEXTS.value}
            hint={TEXTS.hint}
            check={(quality = -1) => (quality >= 0 && quality <= 1 ? undefined : TEXTS.error)}
            className="w-full max-w-48"
            placeholder={TEXTS.placeholder}
          />
        )}
        <Button type="submit" loading={form.isSending} disabled={!mayChange || !isDirty}>
          {TEXTS.save}
        </Button>
      </Form>
    </Card>
  );
}
