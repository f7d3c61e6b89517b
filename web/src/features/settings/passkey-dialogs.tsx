import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { makePasskey, PasskeyDeclined } from "../../api/passkeys.ts";
import { errorAt } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { toast } from "../../ui/toast.tsx";
import { describeAgent } from "./describe-agent.ts";
import { useProof, wordsFor } from "./use-proof.tsx";

const TEXTS = texts.settings.security;

/** Names a passkey and has the browser make it. */
export function AddPasskeyDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { guard, dialog } = useProof();
  const [name, setName] = useState(() => describeAgent(navigator.userAgent));
  const add = useMutation({
    mutationFn: () => guard((current) => makePasskey(name.trim(), current)),
    onSuccess: async () => {
      toast({ title: TEXTS.passkeyAdded });
      await queries.invalidateQueries({ queryKey: ["me", "passkeys"] });
      await queries.invalidateQueries({ queryKey: ["session"] });
      onClose();
    },
  });
  const message = wordsFor(add.error, ["name"]);
  return (
    <>
      <Dialog
        open
        size="sm"
        onOpenChange={onClose}
        title={TEXTS.addPasskey}
        description={TEXTS.addPasskeyText}
        footer={
          <>
            <Button onClick={onClose}>{texts.common.cancel}</Button>
            <Button type="submit" form="add-passkey" variant="primary" loading={add.isPending}>
              {TEXTS.continue}
            </Button>
          </>
        }
      >
        <form
          id="add-passkey"
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate();
          }}
        >
          {message !== undefined && (
            <Banner tone={add.error instanceof PasskeyDeclined ? "info" : "danger"}>{message}</Banner>
          )}
          <NameField value={name} onValueChange={setName} error={errorAt(add.error, "name")} />
        </form>
      </Dialog>
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
  const [name, setName] = useState(passkey.name);
  const rename = useMutation({
    mutationFn: () => api.call("PATCH /v1/me/passkeys/{id}", { params: { id: passkey.id }, body: { name } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["me", "passkeys"] });
      onClose();
    },
  });
  const message = wordsFor(rename.error, ["name"]);
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={onClose}
      title={TEXTS.renamePasskey}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" form="rename-passkey" variant="primary" loading={rename.isPending}>
            {TEXTS.save}
          </Button>
        </>
      }
    >
      <form
        id="rename-passkey"
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <NameField value={name} onValueChange={setName} error={errorAt(rename.error, "name")} />
      </form>
    </Dialog>
  );
}

interface NameFieldProps {
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  readonly error: string | undefined;
}

function NameField({ value, onValueChange, error }: NameFieldProps) {
  return (
    <Field label={TEXTS.passkeyName} hint={TEXTS.passkeyNameHint} error={error} required>
      <Input value={value} maxLength={100} autoComplete="off" onChange={(event) => onValueChange(event.target.value)} />
    </Field>
  );
}
