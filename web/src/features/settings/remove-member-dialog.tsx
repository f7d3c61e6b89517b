import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { toast } from "../../ui/toast.tsx";
import { readPeopleAnew } from "./member-queries.ts";
import type { Member } from "./roles.ts";

const TEXTS = texts.members.remove;

interface RemoveMemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Confirms the removal of a member, and asks what happens to the keys they made. */
export function RemoveMemberDialog({ member, onClose }: RemoveMemberDialogProps) {
  const queries = useQueryClient();
  const [keys, setKeys] = useState<"keep" | "revoke">("keep");
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={TEXTS.title(member.name)}
      confirmLabel={TEXTS.confirm}
      danger
      onConfirm={async () => {
        await api.call("DELETE /v1/members/{id}", {
          params: { id: member.id },
          query: { revoke_keys: keys === "revoke" ? "true" : "false" },
        });
        await readPeopleAnew(queries);
        toast({ title: TEXTS.done(member.name) });
      }}
    >
      <div className="grid gap-4">
        <p>
          <Sentence text={TEXTS.text} parts={{ email: <span className="wrap-anywhere">{member.email}</span> }} />
        </p>
        {member.keys > 0 && (
          <RadioGroup
            label={TEXTS.keys(member.keys)}
            value={keys}
            onValueChange={setKeys}
            options={[
              { value: "keep", label: TEXTS.keep, description: TEXTS.keepText },
              {
                value: "revoke",
                label: TEXTS.revoke,
                description: TEXTS.revokeText,
              },
            ]}
          />
        )}
      </div>
    </ConfirmDialog>
  );
}
