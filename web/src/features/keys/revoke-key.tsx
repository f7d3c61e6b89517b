import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { dropFreshKey } from "../../api/fresh-key.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import type { Key } from "./key-draft.ts";
import { refreshKeys } from "./keys-queries.ts";

export interface RevokeKeyDialogProps {
  readonly shown: Key;
  readonly onClose: () => void;
}

/** Ends a key for good, once its name was typed. */
export function RevokeKeyDialog({ shown, onClose }: RevokeKeyDialogProps) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={onClose}
      title="Revoke the key"
      confirmLabel="Revoke"
      typeToConfirm={shown.name}
      onConfirm={async () => {
        await api.call("DELETE /v1/keys/{id}", { params: { id: shown.id } });
        dropFreshKey(shown.id);
        toast({ title: "The key was revoked." });
        await refreshKeys(client);
      }}
    >
      Whatever uses it is refused at once. That can't be undone. What it spent stays on record.
    </ConfirmDialog>
  );
}
