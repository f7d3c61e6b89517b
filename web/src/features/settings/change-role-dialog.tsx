import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { readPeopleAnew } from "./member-queries.ts";
import { labelOfRole, type Member, ROLES, type Role } from "./roles.ts";

interface ChangeRoleDialogProps {
  readonly member: Member;
  readonly role: Role;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** Asks before a role changes, and says what the new one may. */
export function ChangeRoleDialog({ member, role, isOwn, onClose }: ChangeRoleDialogProps) {
  const queries = useQueryClient();
  const label = labelOfRole(role);
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={isOwn ? "Change your own role?" : `Change the role of ${member.name}?`}
      confirmLabel={`Make ${label.toLowerCase()}`}
      danger={isOwn}
      onConfirm={async () => {
        await api.call("PATCH /v1/members/{id}", { params: { id: member.id }, body: { role } });
        await readPeopleAnew(queries);
        toast({ title: `${member.name} is now ${label.toLowerCase()}.` });
      }}
    >
      <p>
        From {labelOfRole(member.role).toLowerCase()} to <strong className="text-text">{label}</strong>.{" "}
        {ROLES.find(({ value }) => value === role)?.description}
      </p>
      <p className="mt-2">
        {isOwn
          ? "It holds at once, and only another owner or admin can give the old role back."
          : "It holds from their next step on. Keys that they made stay as they are."}
      </p>
    </ConfirmDialog>
  );
}
