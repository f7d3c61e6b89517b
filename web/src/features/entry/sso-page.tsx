import { useMutation } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

/** Log in by single sign-on: asks for the organisation, unless the address names it, and goes to its identity provider. */
export function SsoPage() {
  const TEXTS = texts.sso.page;
  const { name } = useParams({ strict: false });
  const { next } = useSearch({ strict: false });
  const [target, setTarget] = useState(name ?? "");
  const begin = useMutation({
    mutationFn: () => {
      const given = target.trim();
      const organisation = given.includes("@") ? { email: given } : { organisation: given };
      return api.call("POST /v1/auth/sso", {
        body: { ...organisation, ...(next === undefined ? {} : { return_to: next }) },
      });
    },
    onSuccess: ({ url }) => location.assign(url),
  });
  const hasBegun = useRef(false);
  useEffect(() => {
    if (name === undefined || hasBegun.current) return;
    hasBegun.current = true;
    begin.mutate();
  });
  const message = errorBeside(begin.error, ["email", "organisation"]);
  const isGoing = begin.isPending || begin.isSuccess;
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
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (target.trim() !== "" && !isGoing) begin.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field
          label={TEXTS.label}
          hint={TEXTS.hint}
          error={errorAt(begin.error, "email") ?? errorAt(begin.error, "organisation")}
          required
        >
          <Input
            autoFocus
            value={target}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setTarget(event.target.value)}
          />
        </Field>
        <Button type="submit" variant="primary" size="lg" loading={isGoing}>
          {TEXTS.submit}
        </Button>
      </form>
    </EntryPage>
  );
}
