import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { passkeyHindrance } from "../../api/passkeys.ts";
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

type Passkey = AnswerOf<"GET /v1/me/passkeys">["data"][number];

/** The passkeys: a list of a few, newest first. */
export function PasskeySection() {
  const hindrance = passkeyHindrance();
  const [isAdding, setIsAdding] = useState(false);
  const passkeys = useQuery({
    queryKey: ["me", "passkeys"],
    queryFn: ({ signal }) => api.call("GET /v1/me/passkeys", { signal, query: { limit: 100 } }),
  });
  const add = (
    <Button icon={<Plus aria-hidden="true" />} disabled={hindrance !== undefined} onClick={() => setIsAdding(true)}>
      Add a passkey
    </Button>
  );
  return (
    <Section
      title="Passkeys"
      description="Log in by your device's fingerprint, face or PIN. A passkey counts as both factors."
      actions={passkeys.data !== undefined && passkeys.data.data.length > 0 && add}
    >
      {hindrance !== undefined && (
        <Banner tone="info">
          {hindrance.why}{" "}
          {hindrance.link !== undefined && (
            <a className={TEXT_LINK} href={hindrance.link}>
              Open it at {new URL(hindrance.link).host}
            </a>
          )}
        </Banner>
      )}
      {passkeys.isPending && <SkeletonRows rows={2} label="The passkeys are loading" />}
      {passkeys.isError && <ErrorState error={passkeys.error} onRetry={passkeys.refetch} />}
      {passkeys.data?.data.length === 0 && (
        <EmptyState icon={<KeyRound />} title="No passkey yet" action={add}>
          With one you log in without typing anything, and nobody can trick it out of you.
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
    toast({ title: `The passkey “${passkey.name}” is removed.` });
    await queries.invalidateQueries({ queryKey: ["me", "passkeys"] });
    await queries.invalidateQueries({ queryKey: ["session"] });
  };
  return (
    <li className="flex items-center gap-3 px-4 py-3">
      <KeyRound aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{passkey.name}</span>
          {passkey.backed_up && <Badge>Synced</Badge>}
        </p>
        <p className="text-sm text-muted">
          Added <Time at={passkey.created_at} />
          {passkey.last_used_at === null ? (
            ", never used"
          ) : (
            <>
              , last used <Time at={passkey.last_used_at} />
            </>
          )}
        </p>
      </div>
      <IconButton
        label={`Rename ${passkey.name}`}
        icon={<Pencil aria-hidden="true" />}
        onClick={() => setIsRenaming(true)}
      />
      <IconButton
        label={`Remove ${passkey.name}`}
        icon={<Trash2 aria-hidden="true" />}
        onClick={() => setIsRemoving(true)}
      />
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={`Remove the passkey “${passkey.name}”?`}
        confirmLabel="Remove it"
        danger
        onConfirm={remove}
      >
        It can't log in here any more. Delete it on your device too.
      </ConfirmDialog>
      {isRenaming && <RenamePasskeyDialog passkey={passkey} onClose={() => setIsRenaming(false)} />}
      {dialog}
    </li>
  );
}
