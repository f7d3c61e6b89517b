import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { keepFreshKey, useFreshKey } from "../../api/fresh-key.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

const TEXTS = texts.home.key;

/** A key for an app, made with one click; its secret is shown once. */
export function CreateFirstKey({ isDone }: { readonly isDone: boolean }) {
  const mayCreate = usePermission("keys.change");
  const { account } = useSession();
  const queries = useQueryClient();
  const fresh = useFreshKey();
  const form = useApiForm({
    values: { name: TEXTS.sample as string },
    send: ({ name }) => api.call("POST /v1/keys", { body: { name: name.trim(), scopes: ["inference", "read"] } }),
    onSent: ({ id, hint, key: secret }) => {
      keepFreshKey({ id, hint, secret, accountId: account.id });
      void queries.invalidateQueries({ queryKey: ["overview"] });
      void queries.invalidateQueries({ queryKey: ["keys", "list"] });
    },
  });
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
    <Form form={form} className="gap-3">
      <p className="text-muted">{TEXTS.text}</p>
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          form={form}
          name="name"
          label={TEXTS.name}
          required
          className="grow sm:max-w-80"
          maxLength={128}
          autoComplete="off"
        />
        <Button type="submit" variant="primary" loading={form.isSending}>
          {TEXTS.create}
        </Button>
      </div>
    </Form>
  );
}
