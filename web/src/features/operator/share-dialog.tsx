import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { useId, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operatorMoney.shareDialog;

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
      toast({ tone: "positive", title: TEXTS.theShareOfIs(model.full_name) });
      await queries.invalidateQueries({ queryKey: ["operator", "models"] });
      onClose();
    },
  });
  const wrong = save.error instanceof ApiError ? save.error.param : undefined;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.shareOf(model.full_name)}
      description={TEXTS.howMuchOfThe}
      footer={
        <>
          <Button onClick={onClose}>{TEXTS.cancel}</Button>
          <Button type="submit" form={form} variant="primary" loading={save.isPending}>
            {TEXTS.save}
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
          label={TEXTS.weight}
          hint={TEXTS.amongEqualProvidersOf}
          error={isTried && !isWeight ? TEXTS.writeAWholeNumber : wrong === "weight" && save.error?.message}
        >
          <NumberInput value={weight} onValueChange={setWeight} />
        </Field>
        <Field
          label={TEXTS.partOfAutomaticRequests}
          hint={TEXTS.inHowManyOf}
          error={isTried && !isPercent ? TEXTS.writeANumberFrom : wrong === "canary_share" && save.error?.message}
        >
          <NumberInput value={percent} onValueChange={setPercent} suffix="%" />
        </Field>
        {save.isError && wrong === undefined && <ErrorState error={save.error} title={TEXTS.thisWasNotSaved} />}
      </form>
    </Dialog>
  );
}

function percentOf(share: number): number {
  return Number((share * 100).toFixed(4));
}
