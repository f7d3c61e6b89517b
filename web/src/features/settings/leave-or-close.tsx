import { useQuery } from "@tanstack/react-query";
import { DoorOpen, Trash2 } from "lucide-react";
import { useState } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.settings.organisation;

/** The ways out of an organisation: leaving it, or closing it for everybody. */
export function LeaveOrClose({ organisation }: { readonly organisation: Organisation }) {
  const mayClose = usePermission("organisation.close");
  const [asked, setAsked] = useState<"leave" | "close">();
  const finish = () => setAsked(undefined);
  return (
    <Section title={TEXTS.leaveOrClose}>
      <Card className="grid gap-4 divide-y divide-line">
        <div className="flex flex-wrap items-center justify-between gap-4 pb-4">
          <div className="min-w-0">
            <p className="font-medium">{TEXTS.leave}</p>
            <p className="max-w-prose text-muted">{TEXTS.leaveText}</p>
          </div>
          <Button icon={<DoorOpen aria-hidden="true" />} onClick={() => setAsked("leave")}>
            {TEXTS.leave}
          </Button>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-4">
          <div className="min-w-0">
            <p className="font-medium">{TEXTS.close}</p>
            <p className="max-w-prose text-muted">
              {organisation.operator ? TEXTS.closeOperator : mayClose ? TEXTS.closeText : TEXTS.closeOwners}
            </p>
          </div>
          <Button
            variant="danger"
            icon={<Trash2 aria-hidden="true" />}
            disabled={!mayClose || organisation.operator || organisation.suspended}
            onClick={() => setAsked("close")}
          >
            {TEXTS.close}
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
      title={TEXTS.leaveTitle(organisation.name)}
      confirmLabel={TEXTS.leaveConfirm}
      danger
      onConfirm={async () => {
        await api.call("DELETE /v1/members/{id}", { params: { id: person.id } });
        await reloadSession();
        toast({ title: TEXTS.left(organisation.name) });
      }}
    >
      {TEXTS.leaveWarning}
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
      title={TEXTS.closeTitle(organisation.name)}
      confirmLabel={TEXTS.close}
      danger
      typeToConfirm={organisation.name}
      onConfirm={async () => {
        if (left > 0 && !isForfeit) throw new Error(TEXTS.forfeitFirst);
        const query = isForfeit ? ({ forfeit: "true" } as const) : {};
        await api.call("DELETE /v1/organisation", { query });
        await reloadSession();
        toast({ title: TEXTS.closed(organisation.name) });
      }}
    >
      <div className="grid gap-3">
        <p>{TEXTS.closeWarning}</p>
        {left > 0 && (
          <>
            <Banner tone="warning">{TEXTS.creditsLeft(formatMoney(left))}</Banner>
            <Checkbox label={TEXTS.forfeit(formatMoney(left))} checked={isForfeit} onCheckedChange={setIsForfeit} />
          </>
        )}
      </div>
    </ConfirmDialog>
  );
}
