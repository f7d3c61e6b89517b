import { useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { NumberField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
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
  const queries = useQueryClient();
  const form = useApiForm({
    values: {
      weight: model.weight as number | undefined,
      canary_share: percentOf(model.canary_share) as number | undefined,
    },
    send: ({ weight, canary_share: percent }) =>
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
    onSent: async () => {
      toast({ tone: "positive", title: TEXTS.theShareOfIs(model.full_name) });
      await queries.invalidateQueries({ queryKey: ["operator", "models"] });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={TEXTS.shareOf(model.full_name)}
      description={TEXTS.howMuchOfThe}
      submitLabel={TEXTS.save}
      onClose={onClose}
    >
      <NumberField
        form={form}
        name="weight"
        label={TEXTS.weight}
        hint={TEXTS.amongEqualProvidersOf}
        check={(weight = -1) =>
          Number.isInteger(weight) && weight >= 0 && weight <= 1_000 ? undefined : TEXTS.writeAWholeNumber
        }
      />
      <NumberField
        form={form}
        name="canary_share"
        label={TEXTS.partOfAutomaticRequests}
        hint={TEXTS.inHowManyOf}
        check={(percent = 0) => (percent >= 0 && percent <= 100 ? undefined : TEXTS.writeANumberFrom)}
        suffix="%"
      />
    </FormDialog>
  );
}

function percentOf(share: number): number {
  return Number((share * 100).toFixed(4));
}
