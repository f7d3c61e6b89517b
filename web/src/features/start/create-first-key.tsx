import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { keepFreshKey, useFreshKey } from "../../api/fresh-key.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

const TEXTS = texts.home.key;

/** A key for an app, made with one click; its secret is shown once. */
export function CreateFirstKey({ isDone }: { readonly isDone: boolean }) {
  const mayCreate = usePermission("keys.change");
  const { account } = useSession();
  const queries = useQueryClient();
  const fresh = useFreshKey();
  const [name, setName] = useState<string>(TEXTS.sample);
  const creation = useMutation({
    mutationFn: () => api.call("POST /v1/keys", { body: { name: name.trim(), scopes: ["inference", "read"] } }),
    onSuccess: ({ id, hint, key: secret }) => {
      keepFreshKey({ id, hint, secret, accountId: account.id });
      void queries.invalidateQueries({ queryKey: ["overview"] });
      void queries.invalidateQueries({ queryKey: ["keys", "list"] });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (name.trim() !== "" && !creation.isPending) creation.mutate();
  }

  if (fresh !== undefined) return <SecretOnce label={TEXTS.secret} secret={fresh.secret} />;
  if (isDone)
    return (
      <p className="flex flex-wrap gap-x-4 text-muted">
        {TEXTS.done}
        {mayCreate && (
          <Link to="/keys" search={{ create: true }} className={TEXT_LINK}>
            {TEXTS.another}
          </Link>
        )}
      </p>
    );
  if (!mayCreate) return <p className="text-muted">{TEXTS.forbidden}</p>;
  return (
    <form onSubmit={submit} className="grid gap-3" noValidate>
      <p className="text-muted">{TEXTS.text}</p>
      <div className="flex flex-wrap items-end gap-2">
        <Field label={TEXTS.name} className="grow sm:max-w-80">
          <Input value={name} maxLength={128} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        <Button type="submit" variant="primary" disabled={name.trim() === ""} loading={creation.isPending}>
          {TEXTS.create}
        </Button>
      </div>
      {creation.error !== null && <Banner tone="danger">{creation.error.message}</Banner>}
    </form>
  );
}
