import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import {
  connectWallet,
  type InjectedWallet,
  linkWallet,
  useInjectedWallets,
  WalletDeclined,
} from "../../api/injected-wallets.ts";
import { usePermission } from "../../api/session.ts";
import { WalletIcon } from "../../shared/wallet-icon.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { walletsQuery } from "./token-queries.ts";
import { shorten } from "./token-units.ts";

const TEXTS = texts.billing.walletsSection;

type LinkedWallet = AnswerOf<"GET /v1/billing/wallets">["data"][number];

/** Wallets whose tokens are credited here. */
export function WalletsSection() {
  const { data, error, refetch } = useQuery(walletsQuery);
  const queries = useQueryClient();
  const [leaving, setLeaving] = useState<LinkedWallet>();
  return (
    <Section title={TEXTS.linkedWallets} description={TEXTS.tokensThatTheySend}>
      <Card className="grid gap-4">
        {data !== undefined ? (
          <WalletList wallets={data.data} onUnlink={setLeaving} />
        ) : error !== null ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : (
          <SkeletonRows rows={2} label={TEXTS.walletsAreLoading} />
        )}
        <LinkForm />
      </Card>
      <ConfirmDialog
        open={leaving !== undefined}
        onOpenChange={() => setLeaving(undefined)}
        title={TEXTS.unlink(leaving?.name ?? "")}
        confirmLabel={TEXTS.unlink2}
        danger
        onConfirm={async () => {
          if (leaving === undefined) return;
          await api.call("DELETE /v1/billing/wallets/{address}", { params: { address: leaving.address } });
          toast({ tone: "positive", title: TEXTS.theWalletIsUnlinked });
          await queries.invalidateQueries({ queryKey: walletsQuery.queryKey });
        }}
      >
        {TEXTS.whatItSendsFrom}
      </ConfirmDialog>
    </Section>
  );
}

function WalletList(props: {
  readonly wallets: readonly LinkedWallet[];
  readonly onUnlink: (wallet: LinkedWallet) => void;
}) {
  const mayChange = usePermission("billing.change");
  if (props.wallets.length === 0) return <p className="text-muted">{TEXTS.noWalletIsLinked}</p>;
  return (
    <ul className="grid divide-y divide-line">
      {props.wallets.map((wallet) => (
        <li key={wallet.address} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <span className="wrap-anywhere">{wallet.name}</span>
            <code className="font-mono text-sm text-muted">{shorten(wallet.address)}</code>
            {wallet.log_in && <Badge>{TEXTS.logsIn}</Badge>}
          </span>
          <Button
            size="sm"
            variant="ghost"
            disabled={!mayChange}
            aria-label={TEXTS.unlink3(wallet.name, shorten(wallet.address))}
            onClick={() => props.onUnlink(wallet)}
          >
            {TEXTS.unlink2}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function LinkForm() {
  const queries = useQueryClient();
  const wallets = useInjectedWallets();
  const mayChange = usePermission("billing.change");
  const [logsIn, setLogsIn] = useState(false);
  const link = useMutation({
    mutationFn: async (wallet: InjectedWallet) => {
      const address = await connectWallet(wallet);
      return linkWallet(wallet, address, { name: wallet.name, logIn: logsIn });
    },
    onSuccess: async () => {
      toast({ tone: "positive", title: TEXTS.theWalletIsLinked });
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["billing"] }),
        queries.invalidateQueries({ queryKey: ["balance"] }),
      ]);
    },
  });
  if (wallets.length === 0) return <p className="text-sm text-muted">{TEXTS.toLinkAWallet}</p>;
  return (
    <div className="grid gap-3 border-t border-line pt-4">
      <Checkbox
        label={TEXTS.iMayLogIn}
        description={TEXTS.takesALogIn}
        checked={logsIn}
        disabled={!mayChange}
        onCheckedChange={setLogsIn}
      />
      <div className="flex flex-wrap gap-2">
        {wallets.map((wallet) => (
          <Button
            key={wallet.id}
            icon={<WalletIcon wallet={wallet} />}
            loading={link.isPending && link.variables.id === wallet.id}
            disabled={!mayChange || link.isPending}
            onClick={() => link.mutate(wallet)}
          >
            {TEXTS.link(wallet.name)}
          </Button>
        ))}
      </div>
      {link.isError && (
        <Banner tone={link.error instanceof WalletDeclined ? "info" : "danger"}>{link.error.message}</Banner>
      )}
    </div>
  );
}
