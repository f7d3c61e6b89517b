import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { api } from "../../api/client.ts";
import { keepFreshKey } from "../../api/fresh-key.ts";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { toast } from "../../ui/toast.tsx";
import { bodyOf, changesOf, draftOf, fieldOf, type Key, NEW_KEY } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";
import { refreshKeys } from "./keys-queries.ts";
import { NewSecret } from "./new-secret.tsx";

const TEXTS = texts.keys;

/** Creates a key, then shows its secret this once. */
export function CreateKeySheet({ onClose }: { readonly onClose: () => void }) {
  const { account } = useSession();
  const client = useQueryClient();
  const id = useId();
  const form = useApiForm({
    values: NEW_KEY,
    send: (draft) => api.call("POST /v1/keys", { body: bodyOf(draft, Date.now()) }),
    onSent: ({ id: keyId, hint, key: secret }) => {
      keepFreshKey({ id: keyId, hint, secret, accountId: account.id });
      void refreshKeys(client);
    },
    params: fieldOf,
  });
  const made = form.answer;

  if (made !== undefined)
    return (
      <Sheet
        open
        sticky
        onOpenChange={onClose}
        title={TEXTS.created.title}
        description={<span className="wrap-anywhere">{TEXTS.created.ready(made.name)}</span>}
        footer={
          <Button variant="primary" onClick={onClose}>
            {TEXTS.created.done}
          </Button>
        }
      >
        <NewSecret secret={made.key} terms={made} />
      </Sheet>
    );
  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={TEXTS.createTitle}
      description={TEXTS.createDescription}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button variant="primary" type="submit" form={id} loading={form.isSending}>
            {TEXTS.create}
          </Button>
        </>
      }
    >
      <KeyForm id={id} form={form} />
    </Sheet>
  );
}

/** Changes a key's terms. */
export function EditKeySheet({ shown, onClose }: { readonly shown: Key; readonly onClose: () => void }) {
  const client = useQueryClient();
  const id = useId();
  const form = useApiForm({
    values: draftOf(shown),
    send: async (draft) => {
      const body = changesOf(shown, draft, Date.now());
      if (Object.keys(body).length === 0) return;
      await api.call("PATCH /v1/keys/{id}", { params: { id: shown.id }, body });
      toast({ title: TEXTS.saved });
      void refreshKeys(client);
    },
    onSent: onClose,
    params: fieldOf,
  });
  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={TEXTS.editTitle}
      description={<span className="wrap-anywhere">{TEXTS.editDescription(shown.name, shown.hint)}</span>}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button variant="primary" type="submit" form={id} loading={form.isSending}>
            {TEXTS.save}
          </Button>
        </>
      }
    >
      <KeyForm id={id} form={form} endsAt={shown.expires_at} />
    </Sheet>
  );
}
