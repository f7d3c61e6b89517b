import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { keepFreshKey } from "../../api/fresh-key.ts";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
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
  const [grace, setGrace] = useState<Grace>("86400");
  const rotation = useMutation({
    mutationFn: () =>
      api.call("POST /v1/keys/{id}/rotate", {
        params: { id: shown.id },
        body: { grace_seconds: Number(grace) },
      }),
    onSuccess: ({ id, hint, key: secret }) => {
      keepFreshKey({ id, hint, secret, accountId: account.id });
      void refreshKeys(client);
    },
  });

  if (rotation.data !== undefined)
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
        <NewSecret secret={rotation.data.key} terms={rotation.data}>
          <Banner tone="info">
            {grace === "0" ? TEXTS.ended : TEXTS.endsAt(formatDateTime(rotation.data.old_secret_ends_at))}
          </Banner>
        </NewSecret>
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.title}
      description={<span className="wrap-anywhere">{TEXTS.description(shown.name)}</span>}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button variant="primary" loading={rotation.isPending} onClick={() => rotation.mutate()}>
            {TEXTS.confirm}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {rotation.error !== null && <Banner tone="danger">{rotation.error.message}</Banner>}
        <RadioGroup label={TEXTS.grace} value={grace} options={GRACES} onValueChange={setGrace} />
      </div>
    </Dialog>
  );
}
