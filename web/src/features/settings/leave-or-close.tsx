import { useQuery } from "@tanstack/react-query";
import { DoorOpen, Trash2 } from "lucide-react";
import { useState } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import type { Organisation } from "./organisation-query.ts";
import { useReloadSession } from "./use-reload-session.ts";

/** The ways out of an organisation: leaving it, or closing it for everybody. */
export function LeaveOrClose({ organisation }: { readonly organisation: Organisation }) {
  const mayClose = usePermission("organisation.close");
  const [asked, setAsked] = useState<"leave" | "close">();
  const finish = () => setAsked(undefined);
  return (
    <Section title="Leave or close">
      <Card className="grid gap-4 divide-y divide-line">
        <div className="flex flex-wrap items-center justify-between gap-4 pb-4">
          <div className="min-w-0">
            <p className="font-medium">Leave this organisation</p>
            <p className="max-w-prose text-muted">The keys that you made stay. The last owner can't leave.</p>
          </div>
          <Button icon={<DoorOpen aria-hidden="true" />} onClick={() => setAsked("leave")}>
            Leave
          </Button>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-4">
          <div className="min-w-0">
            <p className="font-medium">Close this organisation</p>
            <p className="max-w-prose text-muted">
              {organisation.operator
                ? "The operator's organisation runs the service. It can't be closed."
                : mayClose
                  ? "For everybody and for good. Its records stay with the operator."
                  : "Only owners can close it."}
            </p>
          </div>
          <Button
            variant="danger"
            icon={<Trash2 aria-hidden="true" />}
            disabled={!mayClose || organisation.operator || organisation.suspended}
            onClick={() => setAsked("close")}
          >
            Close organisation
          </Button>
        </div>
      </Card>
      {asked === "leave" && <LeaveDialog organisation={organisation} onClose={finish} />}
      {asked === "close" && <CloseDialog organisation={organisation} onClose={finish} />}
    </Section>
  );
}

interface WayOutProps {
  readonly organisation: Organisation;
  readonly onClose: () => void;
}

function LeaveDialog({ organisation, onClose }: WayOutProps) {
  const { person } = useSession();
  const reloadSession = useReloadSession();
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Leave ${organisation.name}?`}
      confirmLabel="Leave"
      danger
      onConfirm={async () => {
        await api.call("DELETE /v1/members/{id}", { params: { id: person.id } });
        await reloadSession();
        toast({ title: `You have left ${organisation.name}.` });
      }}
    >
      You lose access at once. To come back you need a new invitation.
    </ConfirmDialog>
  );
}

function CloseDialog({ organisation, onClose }: WayOutProps) {
  const reloadSession = useReloadSession();
  const { data: balance } = useQuery(balanceQuery);
  const [isForfeit, setIsForfeit] = useState(false);
  const left = balance?.balance ?? 0;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Close ${organisation.name}?`}
      confirmLabel="Close organisation"
      danger
      typeToConfirm={organisation.name}
      onConfirm={async () => {
        if (left > 0 && !isForfeit) throw new Error("Spend the credits first, or tick the box to give them up.");
        const query = isForfeit ? ({ forfeit: "true" } as const) : {};
        await api.call("DELETE /v1/organisation", { query });
        await reloadSession();
        toast({ title: `${organisation.name} is closed.` });
      }}
    >
      <div className="grid gap-3">
        <p>
          Every key stops working at once. All members lose access, webhooks stop, and its models are withdrawn. This
          can't be undone.
        </p>
        {left > 0 && (
          <>
            <Banner tone="warning">{formatMoney(left)} are left. Closing gives them up.</Banner>
            <Checkbox label={`Give up ${formatMoney(left)}`} checked={isForfeit} onCheckedChange={setIsForfeit} />
          </>
        )}
      </div>
    </ConfirmDialog>
  );
}
