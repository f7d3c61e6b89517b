import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operator.newAccountDialog;

export interface NewAccountDialogProps {
  readonly onClose: () => void;
  readonly onMade: () => unknown;
}

/** Opens an organisation for another person. */
export function NewAccountDialog({ onClose, onMade }: NewAccountDialogProps) {
  const form = useApiForm({
    values: { name: "", provider: "" },
    send: ({ name, provider }) =>
      api.call("POST /v1/admin/accounts", { body: { name, ...(provider === "" ? {} : { provider }) } }),
    onSent: async (made) => {
      toast({ tone: "positive", title: TEXTS.isOpen(made.name) });
      onClose();
      await onMade();
    },
  });
  return (
    <FormDialog
      form={form}
      title={TEXTS.openAnAccount}
      description={TEXTS.anOrganisationWithoutMembers}
      submitLabel={TEXTS.openIt}
      onClose={onClose}
    >
      <TextField form={form} name="name" label={TEXTS.name} required maxLength={128} />
      <TextField
        form={form}
        name="provider"
        label={TEXTS.providerName}
        optional
        hint={TEXTS.underWhichItsModels}
        mono
        maxLength={64}
      />
    </FormDialog>
  );
}
