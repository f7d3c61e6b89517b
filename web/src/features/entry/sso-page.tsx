import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

/** Log in by single sign-on: asks for the organisation, unless the address names it, and goes to its identity provider. */
export function SsoPage() {
  const TEXTS = texts.sso.page;
  const { name } = useParams({ strict: false });
  const { next } = useSearch({ strict: false });
  const form = useApiForm({
    values: { target: name ?? "" },
    send: ({ target }) => {
      const given = target.trim();
      const organisation = given.includes("@") ? { email: given } : { organisation: given };
      return api.call("POST /v1/auth/sso", {
        body: { ...organisation, ...(next === undefined ? {} : { return_to: next }) },
      });
    },
    onSent: ({ url }) => location.assign(url),
    params: { email: "target", organisation: "target" },
  });
  const element = useRef<HTMLFormElement>(null);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (name === undefined || hasBegun.current) return;
    hasBegun.current = true;
    element.current?.requestSubmit();
  });
  const isGoing = form.isSending || form.answer !== undefined;
  return (
    <EntryPage
      title={TEXTS.title}
      description={isGoing ? TEXTS.going : TEXTS.description}
      footer={
        <Link to="/log-in" className={TEXT_LINK}>
          {TEXTS.back}
        </Link>
      }
    >
      <Form form={form} ref={element}>
        <TextField
          form={form}
          name="target"
          label={TEXTS.label}
          hint={TEXTS.hint}
          required
          autoFocus
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Button type="submit" variant="primary" size="lg" loading={isGoing}>
          {TEXTS.submit}
        </Button>
      </Form>
    </EntryPage>
  );
}
