import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { keepFreshKey } from "../../api/fresh-key.ts";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormValue } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { RadioGroup } from "../../ui/radio-group.tsx";
import type { Key } from "./key-draft.ts";
import { refreshKeys } from "./keys-queries.ts";
import { NewSecret } from "./new-secret.tsx";

const TEXTS = texts.keys.rotate;

const GRACES = [
  { value: "0", label: TEXTS.graces.now, description: TEXTS.leaked },
  { value: "3600", label: TEXTS.graces.hour },
  { value: "86400", label: TEXTS.graces.day },
  { value: "604800", label: TEXTS.graces.week },
  { value: "2592000", label: TEXTS.graces.month },
] as const;

type Grace = (typeof GRACES)[number]["value"];

/** Gives a key a new secret, shown this once, and says until when the old one lives. */
export function RotateKeyDialog({ shown, onClose }: { readonly shown: Key; readonly onClose: () => void }) {
  const { account } = useSession();
  const client = useQueryClient();
  const form = useApiForm({
    values: { grace: "86400" as Grace },
    send: ({ grace }) =>
      api.call("POST /v1/keys/{id}/rotate", { params: { id: shown.id }, body: { grace_seconds: Number(grace) } }),
    onSent: ({ id, hint, key: secret }) => {
      keepFreshKey({ id, hint, secret, accountId: account.id });
      void refreshKeys(client);
    },
  });

  if (form.answer !== undefined)
    return (
      <Dialog
        open
        sticky
        size="lg"
        onOpenChange={onClose}
        title={TEXTS.keepNew}
        footer={
          <Button variant="primary" onClick={onClose}>
            {texts.keys.created.done}
          </Button>
        }
      >
        <NewSecret secret={form.answer.key} terms={form.answer}>
          <Banner tone="info">
            {form.getValues("grace") === "0"
              ? TEXTS.ended
              : TEXTS.endsAt(formatDateTime(form.answer.old_secret_ends_at))}
          </Banner>
        </NewSecret>
      </Dialog>
    );
  return (
    <FormDialog
      form={form}
      title={TEXTS.title}
      description={<span className="wrap-anywhere">{TEXTS.description(shown.name)}</span>}
      submitLabel={TEXTS.confirm}
      onClose={onClose}
    >
      <FormValue form={form} name="grace">
        {({ value, onChange }) => (
          <RadioGroup label={TEXTS.grace} value={value} options={GRACES} onValueChange={onChange} />
        )}
      </FormValue>
    </FormDialog>
  );
}
