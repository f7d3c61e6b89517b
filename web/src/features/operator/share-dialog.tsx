import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { useId, useState } from "react";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { toast } from "../../ui/toast.tsx";

/** A model of any account, as the operator sees it. */
export type Model = AnswerOf<"GET /v1/admin/models">["data"][number];

interface ShareDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
}

/** How much of the traffic a model gets: its weight among equals, and in how many automatic requests it takes part. */
export function ShareDialog({ model, onClose }: ShareDialogProps) {
  const form = useId();
  const queries = useQueryClient();
  const [weight, setWeight] = useState<number | undefined>(model.weight);
  const [percent, setPercent] = useState<number | undefined>(percentOf(model.canary_share));
  const [isTried, setIsTried] = useState(false);
  const isWeight = weight !== undefined && Number.isInteger(weight) && weight >= 0 && weight <= 1_000;
  const isPercent = percent === undefined || (percent >= 0 && percent <= 100);
  const save = useMutation({
    mutationFn: () =>
      api.call("PATCH /v1/admin/models/{id}", {
        params: { id: model.id },
        body: {
          weight,
          // Untouched it stays as its state has it.
          ...(percent === percentOf(model.canary_share)
            ? {}
            : { canary_share: percent === undefined ? null : percent / 100 }),
        },
      }),
    onSuccess: async () => {
      toast({ tone: "positive", title: `The share of ${model.full_name} is saved` });
      await queries.invalidateQueries({ queryKey: ["operator", "models"] });
      onClose();
    },
  });
  const wrong = save.error instanceof ApiError ? save.error.param : undefined;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Share of ${model.full_name}`}
      description="How much of the traffic it gets. It holds on every instance at once."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" loading={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setIsTried(true);
          if (isWeight && isPercent) save.mutate();
        }}
      >
        <Field
          label="Weight"
          hint="Among equal providers of its name. 1 is usual; with 3 it takes three times as much; with 0 it is only a backup."
          error={
            isTried && !isWeight ? "Write a whole number from 0 to 1,000." : wrong === "weight" && save.error?.message
          }
        >
          <NumberInput value={weight} onValueChange={setWeight} />
        </Field>
        <Field
          label="Part of automatic requests"
          hint="In how many of them it competes. Left empty: 5 % on probation, else all."
          error={
            isTried && !isPercent ? "Write a number from 0 to 100." : wrong === "canary_share" && save.error?.message
          }
        >
          <NumberInput value={percent} onValueChange={setPercent} suffix="%" />
        </Field>
        {save.isError && wrong === undefined && <ErrorState error={save.error} title="This was not saved" />}
      </form>
    </Dialog>
  );
}

function percentOf(share: number): number {
  return Number((share * 100).toFixed(4));
}
