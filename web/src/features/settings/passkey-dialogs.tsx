import { useQueryClient } from "@tanstack/react-query";
import type { Control } from "react-hook-form";
import { api } from "../../api/client.ts";
import { makePasskey, PasskeyDeclined } from "../../api/passkeys.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { describeAgent } from "./describe-agent.ts";
import { isDeclined, useProof } from "./use-proof.tsx";

const TEXTS = texts.settings.security;

/** Names a passkey and has the browser make it. */
export function AddPasskeyDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { guard, dialog } = useProof();
  const form = useApiForm({
    values: { name: describeAgent(navigator.userAgent) },
    send: ({ name }) => guard((current) => makePasskey(name.trim(), current)),
    onSent: async () => {
      toast({ title: TEXTS.passkeyAdded });
      await queries.invalidateQueries({ queryKey: ["me", "passkeys"] });
      await queries.invalidateQueries({ queryKey: ["session"] });
      onClose();
    },
    isSilent: (error) => isDeclined(error) || error instanceof PasskeyDeclined,
  });
  return (
    <>
      <FormDialog
        form={form}
        size="sm"
        title={TEXTS.addPasskey}
        description={TEXTS.addPasskeyText}
        submitLabel={TEXTS.continue}
        onClose={onClose}
      >
        {form.error instanceof PasskeyDeclined && <Banner tone="info">{form.error.message}</Banner>}
        <NameField form={form} />
      </FormDialog>
      {dialog}
    </>
  );
}

export interface RenamePasskeyDialogProps {
  readonly passkey: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Gives a passkey another name. */
export function RenamePasskeyDialog({ passkey, onClose }: RenamePasskeyDialogProps) {
  const queries = useQueryClient();
  const form = useApiForm({
    values: { name: passkey.name },
    send: (body) => api.call("PATCH /v1/me/passkeys/{id}", { params: { id: passkey.id }, body }),
    onSent: async () => {
      await queries.invalidateQueries({ queryKey: ["me", "passkeys"] });
      onClose();
    },
  });
  return (
    <FormDialog form={form} size="sm" title={TEXTS.renamePasskey} submitLabel={TEXTS.save} onClose={onClose}>
      <NameField form={form} />
    </FormDialog>
  );
}

interface Named {
  readonly name: string;
}

function NameField({ form }: { readonly form: { readonly control: Control<Named, unknown, Named> } }) {
  return (
    <TextField
      form={form}
      name="name"
      label={TEXTS.passkeyName}
      hint={TEXTS.passkeyNameHint}
      required
      maxLength={100}
      autoComplete="off"
    />
  );
}
