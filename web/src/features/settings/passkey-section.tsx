import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { passkeyHindrance } from "../../api/passkeys.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { AddPasskeyDialog, RenamePasskeyDialog } from "./passkey-dialogs.tsx";
import { useProof } from "./use-proof.tsx";

const TEXTS = texts.settings.security;

type Passkey = AnswerOf<"GET /v1/me/passkeys">["data"][number];

export const passkeysQuery = queryOptions({
  queryKey: ["me", "passkeys"],
  queryFn: ({ signal }) => api.call("GET /v1/me/passkeys", { signal, query: { limit: 100 } }),
});

/** The passkeys: a list of a few, newest first. */
export function PasskeySection() {
  const hindrance = passkeyHindrance();
  const [isAdding, setIsAdding] = useState(false);
  const passkeys = useQuery(passkeysQuery);
  const add = (
    <Button icon={<Plus aria-hidden="true" />} disabled={hindrance !== undefined} onClick={() => setIsAdding(true)}>
      {TEXTS.addPasskey}
    </Button>
  );
  return (
    <Section
      title={TEXTS.passkeys}
      description={TEXTS.passkeysText}
      actions={passkeys.data !== undefined && passkeys.data.data.length > 0 && add}
    >
      {hindrance !== undefined && (
        <Banner tone="info">
          {hindrance.why}{" "}
          {hindrance.link !== undefined && (
            <a className={TEXT_LINK} href={hindrance.link}>
              {TEXTS.openAt(new URL(hindrance.link).host)}
            </a>
          )}
        </Banner>
      )}
      {passkeys.isPending && <SkeletonRows rows={2} label={TEXTS.passkeysLoading} />}
      {passkeys.isError && <ErrorState error={passkeys.error} onRetry={passkeys.refetch} />}
      {passkeys.data?.data.length === 0 && (
        <EmptyState icon={<KeyRound />} title={TEXTS.noPasskey} action={add}>
          {TEXTS.noPasskeyText}
        </EmptyState>
      )}
      {passkeys.data !== undefined && passkeys.data.data.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {passkeys.data.data
            .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
            .map((passkey) => (
              <PasskeyRow key={passkey.id} passkey={passkey} />
            ))}
        </ul>
      )}
      {isAdding && <AddPasskeyDialog onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

function PasskeyRow({ passkey }: { readonly passkey: Passkey }) {
  const queries = useQueryClient();
  const { guard, dialog } = useProof();
  const [isRenaming, setIsRenaming] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const remove = async () => {
    await guard((current) =>
      api.call("DELETE /v1/me/passkeys/{id}", {
        params: { id: passkey.id },
        body: current === undefined ? {} : { current },
      }),
    );
    toast({ title: TEXTS.passkeyRemoved });
    await queries.invalidateQueries({ queryKey: ["me", "passkeys"] });
    await queries.invalidateQueries({ queryKey: ["session"] });
  };
  return (
    <li className="flex items-center gap-3 px-4 py-3">
      <KeyRound aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{passkey.name}</span>
          {passkey.backed_up && <Badge>{TEXTS.synced}</Badge>}
        </p>
        <p className="text-sm text-muted">
          <Sentence
            text={passkey.last_used_at === null ? TEXTS.added : TEXTS.addedUsed}
            parts={{
              time: <Time at={passkey.created_at} />,
              used: passkey.last_used_at === null ? null : <Time at={passkey.last_used_at} />,
            }}
          />
        </p>
      </div>
      <IconButton
        label={TEXTS.rename(passkey.name)}
        icon={<Pencil aria-hidden="true" />}
        onClick={() => setIsRenaming(true)}
      />
      <IconButton
        label={TEXTS.remove(passkey.name)}
        icon={<Trash2 aria-hidden="true" />}
        onClick={() => setIsRemoving(true)}
      />
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={TEXTS.removePasskey(passkey.name)}
        confirmLabel={TEXTS.removePasskeyConfirm}
        danger
        onConfirm={remove}
      >
        {TEXTS.removePasskeyText}
      </ConfirmDialog>
      {isRenaming && <RenamePasskeyDialog passkey={passkey} onClose={() => setIsRenaming(false)} />}
      {dialog}
    </li>
  );
}
