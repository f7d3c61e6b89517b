import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { PriceInputs } from "./form-price.tsx";
import { changeOf, draftOf } from "./model-draft.ts";
import { type OwnModel, ownModelsQuery } from "./provider-queries.ts";
import { useModelForm } from "./use-model-form.ts";
import { sentence } from "./use-validation.ts";

const TEXTS = texts.providerForm.priceDialog;

const FORM_ID = "price-form";

export interface PriceDialogProps {
  readonly model: OwnModel;
  readonly name: string;
  readonly onClose: () => void;
}

/** A new price for a model. */
export function PriceDialog({ model, name, onClose }: PriceDialogProps) {
  const queries = useQueryClient();
  const [start] = useState(() => draftOf(model));
  const { element, form, submit, isSending, isDirty, summary } = useModelForm({
    start,
    isChange: true,
    hasCredential: model.has_credential,
    bodyOf: (draft) => changeOf(draft, start),
    send: async (draft) => {
      const { pricing } = changeOf(draft, start);
      await api.call("PATCH /v1/provider/models/{name}", { params: { name }, body: { pricing } });
      await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
      toast({
        title: TEXTS.theNewPriceIs,
        description: TEXTS.requestsThatRunKeep,
      });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={TEXTS.changeThePrice}
      description={TEXTS.itBecomesANew}
      footer={
        <>
          <Button onClick={onClose}>{TEXTS.cancel}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" loading={isSending} disabled={!isDirty}>
            {TEXTS.saveTheNewPrice}
          </Button>
        </>
      }
    >
      <form
        ref={element}
        id={FORM_ID}
        noValidate
        aria-label={TEXTS.newPrice}
        onSubmit={(event) => void submit(event)}
        className="grid items-start gap-4 sm:grid-cols-2"
      >
        {summary.length > 0 && (
          <div data-summary tabIndex={-1} className="sm:col-span-2">
            <Banner tone="danger">{summary.map(({ message }) => sentence(message)).join(" ")}</Banner>
          </div>
        )}
        <PriceInputs form={form} />
      </form>
    </Dialog>
  );
}
