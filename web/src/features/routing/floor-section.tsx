import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
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
  const [isOwn, setIsOwn] = useState(saved !== null);
  const [floor, setFloor] = useState(saved ?? undefined);
  const [isTried, setIsTried] = useState(false);
  const isRight = !isOwn || (floor !== undefined && floor >= 0 && floor <= 1);
  const wanted = isOwn ? (floor ?? null) : null;
  const isDirty = isOwn !== (saved !== null) || wanted !== saved;
  const save = useMutation({
    mutationFn: () => api.call("PUT /v1/routing/floor", { body: { min_quality: wanted } }),
    onSuccess: (now) => {
      queries.setQueryData(floorQuery.queryKey, now);
      void queries.invalidateQueries({ queryKey: ["routing-report"] });
      toast({
        tone: "positive",
        title: TEXTS.saved,
        description: now.min_quality === null ? TEXTS.savedService : TEXTS.savedOwn(now.min_quality),
      });
    },
    onError: (error) => toast({ tone: "danger", title: error.message }),
  });
  return (
    <Card>
      <UnsavedGuard when={isDirty} />
      <form
        className="grid justify-items-start gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setIsTried(true);
          if (isRight && mayChange) save.mutate();
        }}
      >
        <Segmented
          label={TEXTS.whose}
          value={isOwn ? "own" : "service"}
          onValueChange={(whose) => setIsOwn(whose === "own")}
          options={[
            { value: "service", label: TEXTS.service },
            { value: "own", label: TEXTS.own },
          ]}
        />
        {isOwn && (
          <Field
            label={TEXTS.value}
            hint={TEXTS.hint}
            error={isTried && !isRight ? TEXTS.error : undefined}
            className="w-full max-w-48"
          >
            <NumberInput value={floor} onValueChange={setFloor} placeholder={TEXTS.placeholder} />
          </Field>
        )}
        <Button type="submit" loading={save.isPending} disabled={!mayChange || !isDirty}>
          {TEXTS.save}
        </Button>
      </form>
    </Card>
  );
}
