import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { errorAt } from "../../api/sign-in.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { useProof, wordsFor } from "./use-proof.tsx";

/** The tab Profile: what one is called, and where one is reached. */
export function ProfileSettings() {
  useDocumentTitle("Profile");
  return (
    <div className="grid max-w-xl gap-10">
      <NameForm />
      <AddressForm />
    </div>
  );
}

function NameForm() {
  const { person } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState(person.name);
  const save = useMutation({
    mutationFn: () => api.call("PATCH /v1/me", { body: { name } }),
    onSuccess: async (saved) => {
      setName(saved.name);
      await queries.invalidateQueries({ queryKey: ["session"] });
      toast({ title: "Your name is saved." });
    },
  });
  const message = wordsFor(save.error, ["name"]);
  return (
    <Section title="Name" description="How others in your organisations see you.">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label="Name" error={errorAt(save.error, "name")} required>
          <Input value={name} maxLength={100} autoComplete="name" onChange={(event) => setName(event.target.value)} />
        </Field>
        <div>
          <Button type="submit" variant="primary" loading={save.isPending} disabled={name.trim() === person.name}>
            Save the name
          </Button>
        </div>
      </form>
    </Section>
  );
}

function AddressForm() {
  const { person } = useSession();
  const { guard, dialog } = useProof();
  const [email, setEmail] = useState("");
  const ask = useMutation({
    mutationFn: () =>
      guard((current) => api.call("PATCH /v1/me", { body: { email, ...(current === undefined ? {} : { current }) } })),
  });
  const message = wordsFor(ask.error, ["email"]);
  return (
    <Section title="E-mail address" description="By it you log in, and notices about your account go there.">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">{person.email}</span>
        {person.email_verified ? <Badge tone="positive">Confirmed</Badge> : <Badge tone="warning">Not confirmed</Badge>}
      </p>
      {ask.isSuccess && (
        <Banner tone="positive" title="One more step">
          {ask.data.sent === "mail"
            ? "A link was mailed to the new address. The address changes when it is opened, within a day."
            : "This service has no mail server: its operator finds the link for the new address in the service's log."}
        </Banner>
      )}
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field
          label="New address"
          hint="A link goes there first; until it is opened the old address stays."
          error={errorAt(ask.error, "email")}
          required
        >
          <Input
            type="email"
            value={email}
            maxLength={254}
            autoComplete="email"
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <div>
          <Button type="submit" loading={ask.isPending} disabled={email.trim() === ""}>
            Change the address
          </Button>
        </div>
      </form>
      {dialog}
    </Section>
  );
}
