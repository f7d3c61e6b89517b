import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type BodyOf } from "@trunkline/sdk";
import { useEffect, useId, useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { keepFreshKey } from "../../api/fresh-key.ts";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { toast } from "../../ui/toast.tsx";
import {
  bodyOf,
  changesOf,
  type DraftErrors,
  draftOf,
  errorsOf,
  fieldOf,
  type Key,
  type KeyDraft,
  NEW_KEY,
} from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";
import { refreshKeys } from "./keys-queries.ts";
import { NewSecret } from "./new-secret.tsx";

const TEXTS = texts.keys;

/** Creates a key, then shows its secret this once. */
export function CreateKeySheet({ onClose }: { readonly onClose: () => void }) {
  const { account } = useSession();
  const client = useQueryClient();
  const creation = useMutation({
    mutationFn: (body: BodyOf<"POST /v1/keys">) => api.call("POST /v1/keys", { body }),
    onSuccess: ({ id, hint, key: secret }) => {
      keepFreshKey({ id, hint, secret, accountId: account.id });
      void refreshKeys(client);
    },
  });
  const form = useKeyForm(NEW_KEY, creation.error);
  const made = creation.data;

  if (made !== undefined)
    return (
      <Sheet
        open
        sticky
        onOpenChange={onClose}
        title={TEXTS.created.title}
        description={<span className="wrap-anywhere">{TEXTS.created.ready(made.name)}</span>}
        footer={
          <Button variant="primary" onClick={onClose}>
            {TEXTS.created.done}
          </Button>
        }
      >
        <NewSecret secret={made.key} terms={made} />
      </Sheet>
    );
  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={TEXTS.createTitle}
      description={TEXTS.createDescription}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button variant="primary" type="submit" form={form.id} loading={creation.isPending}>
            {TEXTS.create}
          </Button>
        </>
      }
    >
      <KeyFormArea form={form} onSubmit={(draft) => creation.mutate(bodyOf(draft, Date.now()))} />
    </Sheet>
  );
}

/** Changes a key's terms. */
export function EditKeySheet({ shown, onClose }: { readonly shown: Key; readonly onClose: () => void }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (body: BodyOf<"PATCH /v1/keys/{id}">) =>
      api.call("PATCH /v1/keys/{id}", { params: { id: shown.id }, body }),
    onSuccess: () => {
      toast({ title: TEXTS.saved });
      void refreshKeys(client);
      onClose();
    },
  });
  const form = useKeyForm(draftOf(shown), change.error);

  function submit(draft: KeyDraft) {
    const changes = changesOf(shown, draft, Date.now());
    if (Object.keys(changes).length === 0) onClose();
    else change.mutate(changes);
  }

  return (
    <Sheet
      open
      onOpenChange={onClose}
      title={TEXTS.editTitle}
      description={<span className="wrap-anywhere">{TEXTS.editDescription(shown.name, shown.hint)}</span>}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button variant="primary" type="submit" form={form.id} loading={change.isPending}>
            {TEXTS.save}
          </Button>
        </>
      }
    >
      <KeyFormArea form={form} endsAt={shown.expires_at} onSubmit={submit} />
    </Sheet>
  );
}

interface FormState {
  readonly id: string;
  readonly draft: KeyDraft;
  readonly errors: DraftErrors;
  /** What the server said that belongs to no field. */
  readonly refusal: string | undefined;
  readonly setDraft: (draft: KeyDraft) => void;
  readonly setIsTried: (isTried: boolean) => void;
}

/** What is typed, and what is wrong with it once it was sent or tried to be. */
function useKeyForm(beginning: KeyDraft, error: Error | null): FormState {
  const id = useId();
  const [draft, setDraft] = useState(beginning);
  const [isTried, setIsTried] = useState(false);
  const field = error instanceof ApiError ? fieldOf(error.param) : undefined;
  const own = isTried ? errorsOf(draft, Date.now()) : {};
  const errors = field === undefined || error === null ? own : { [field]: error.message, ...own };
  return {
    id,
    draft,
    errors,
    refusal: error === null || field !== undefined ? undefined : error.message,
    setDraft,
    setIsTried,
  };
}

interface KeyFormAreaProps {
  readonly form: FormState;
  readonly endsAt?: string | null;
  readonly onSubmit: (draft: KeyDraft) => void;
}

function KeyFormArea({ form, endsAt = null, onSubmit }: KeyFormAreaProps) {
  const area = useRef<HTMLDivElement>(null);
  const [tries, setTries] = useState(0);
  // A form with errors focuses the first of them.
  useEffect(() => {
    if (tries === 0) return;
    const wrong = area.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    (wrong?.matches("fieldset") ? wrong.querySelector<HTMLElement>("button") : wrong)?.focus();
  }, [tries]);

  function submit() {
    form.setIsTried(true);
    if (Object.keys(errorsOf(form.draft, Date.now())).length === 0) onSubmit(form.draft);
    else setTries(tries + 1);
  }

  return (
    <div ref={area} className="grid gap-6">
      {form.refusal !== undefined && <Banner tone="danger">{form.refusal}</Banner>}
      <KeyForm
        id={form.id}
        draft={form.draft}
        errors={form.errors}
        endsAt={endsAt}
        onChange={form.setDraft}
        onSubmit={submit}
      />
    </div>
  );
}
