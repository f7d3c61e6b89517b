import { useMutation } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";
import { useId, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operator.newAccountDialog;

export interface NewAccountDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onMade: () => unknown;
}

/** Opens an organisation for another person. */
export function NewAccountDialog({ open, onOpenChange, onMade }: NewAccountDialogProps) {
  const formId = useId();
  const [name, setName] = useState("");
  const [provider, setProvider] = useState("");
  const make = useMutation({
    mutationFn: () => api.call("POST /v1/admin/accounts", { body: { name, ...(provider === "" ? {} : { provider }) } }),
    onSuccess: async (made) => {
      toast({ tone: "positive", title: TEXTS.isOpen(made.name) });
      setName("");
      setProvider("");
      onOpenChange(false);
      await onMade();
    },
  });
  const wrong = make.error instanceof ApiError ? make.error.param : undefined;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={TEXTS.openAnAccount}
      description={TEXTS.anOrganisationWithoutMembers}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{TEXTS.cancel}</Button>
          <Button type="submit" form={formId} variant="primary" loading={make.isPending}>
            {TEXTS.openIt}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field label={TEXTS.name} required error={wrong === "provider" ? undefined : make.error?.message}>
          <Input value={name} required maxLength={128} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field
          label={TEXTS.providerName}
          optional
          hint={TEXTS.underWhichItsModels}
          error={wrong === "provider" ? make.error?.message : undefined}
        >
          <Input
            value={provider}
            mono
            pattern="[a-z0-9][a-z0-9\-]{1,63}"
            onChange={(event) => setProvider(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}
