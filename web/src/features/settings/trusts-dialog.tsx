import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { type ServiceAccount, trustsQuery, type WorkloadTrust } from "./service-account-queries.ts";
import { TrustForm } from "./trust-form.tsx";

const TEXTS = texts.sso.trust;

export interface TrustsDialogProps {
  readonly account: ServiceAccount;
  readonly mayChange: boolean;
  readonly onClose: () => void;
}

/** The workloads that a service account trusts, and a form to trust another. */
export function TrustsDialog({ account, mayChange, onClose }: TrustsDialogProps) {
  const { data, error, refetch } = useQuery(trustsQuery(account.id));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.title(account.name)}
      description={TEXTS.description}
      footer={<Button onClick={onClose}>{TEXTS.done}</Button>}
    >
      <div className="grid gap-6">
        {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
        {data === undefined && error === null && <SkeletonRows rows={2} label={TEXTS.loading} />}
        {data?.data.length === 0 && <p className="text-muted">{TEXTS.none}</p>}
        {data?.data.map((trust) => (
          <Trust key={trust.id} accountId={account.id} trust={trust} mayChange={mayChange} />
        ))}
        {mayChange && <TrustForm accountId={account.id} />}
      </div>
    </Dialog>
  );
}

interface TrustProps {
  readonly accountId: string;
  readonly trust: WorkloadTrust;
  readonly mayChange: boolean;
}

function Trust({ accountId, trust, mayChange }: TrustProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      api.call("DELETE /v1/service-accounts/{id}/trusts/{trust}", { params: { id: accountId, trust: trust.id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: trustsQuery(accountId).queryKey }),
  });
  const fault = errorBeside(remove.error, []);
  return (
    <div className="grid gap-1 border-b border-line pb-4">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="font-medium">{trust.name}</p>
          <p className="text-sm text-muted wrap-anywhere">{trust.issuer}</p>
        </div>
        {mayChange && (
          <Button
            size="sm"
            aria-label={TEXTS.removeTrust(trust.name)}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {TEXTS.remove}
          </Button>
        )}
      </div>
      <ul className="grid gap-0.5 text-sm wrap-anywhere">
        <li>
          <code>{TEXTS.audienceIs(trust.audience)}</code>
        </li>
        {trust.conditions.map(({ claim, values }) => (
          <li key={claim}>
            <code>
              {claim} = {values.join(" | ")}
            </code>
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">
        {trust.last_used_at === null ? (
          TEXTS.never
        ) : (
          <Sentence text={TEXTS.lastUsed} parts={{ time: <Time at={trust.last_used_at} /> }} />
        )}
      </p>
      {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
    </div>
  );
}
