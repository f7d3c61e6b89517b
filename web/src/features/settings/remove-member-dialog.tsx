import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatNumber } from "../../ui/format.ts";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { toast } from "../../ui/toast.tsx";
import { readPeopleAnew } from "./member-queries.ts";
import type { Member } from "./roles.ts";

interface RemoveMemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Confirms the removal of a member, and asks what happens to the keys they made. */
export function RemoveMemberDialog({ member, onClose }: RemoveMemberDialogProps) {
  const queries = useQueryClient();
  const [keys, setKeys] = useState<"keep" | "revoke">("keep");
  const count = member.keys === 1 ? "the key" : `the ${formatNumber(member.keys)} keys`;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Remove ${member.name}?`}
      confirmLabel="Remove"
      danger
      onConfirm={async () => {
        await api.call("DELETE /v1/members/{id}", {
          params: { id: member.id },
          query: { revoke_keys: keys === "revoke" ? "true" : "false" },
        });
        await readPeopleAnew(queries);
        toast({ title: `${member.name} is no member any more.` });
      }}
    >
      <div className="grid gap-4">
        <p>
          <span className="wrap-anywhere">{member.email}</span> loses access to this organisation at once.
        </p>
        {member.keys > 0 && (
          <RadioGroup
            label={`What becomes of ${count} they made?`}
            value={keys}
            onValueChange={setKeys}
            options={[
              { value: "keep", label: "Keep", description: "What runs on them goes on running." },
              {
                value: "revoke",
                label: "Revoke",
                description: "They stop at once. Choose this if the person may have copied them.",
              },
            ]}
          />
        )}
      </div>
    </ConfirmDialog>
  );
}
