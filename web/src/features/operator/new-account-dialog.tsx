import { useMutation } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";
import { useId, useState } from "react";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { toast } from "../../ui/toast.tsx";

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
      toast({ tone: "positive", title: `${made.name} is open` });
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
      title="Open an account"
      description="An organisation without members yet. Give it a key or credits, or let its people sign up by themselves."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={make.isPending}>
            Open it
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
        <Field label="Name" required error={wrong === "provider" ? undefined : make.error?.message}>
          <Input value={name} required maxLength={128} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field
          label="Provider name"
          optional
          hint="Under which its models would appear: a-z, 0-9 and -."
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
