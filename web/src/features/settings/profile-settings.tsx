import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { errorAt } from "../../api/sign-in.ts";
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language } from "../../texts/choose-language.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { OwnDataSection } from "./own-data-section.tsx";
import { useProof, wordsFor } from "./use-proof.tsx";

const TEXTS = texts.settings.profile;

/** The tab Profile: what one is called, and where one is reached. */
export function ProfileSettings() {
  useDocumentTitle(texts.settings.tabs.profile);
  const mayChange = usePermission("person.change");
  return (
    <div className="grid max-w-xl gap-10">
      {mayChange ? (
        <>
          <NameForm />
          <AddressForm />
        </>
      ) : (
        <Banner tone="info" title={texts.sso.ownOnly.title}>
          {texts.sso.ownOnly.text}
        </Banner>
      )}
      <LanguageChoice />
      <OwnDataSection />
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
      toast({ title: TEXTS.nameSaved });
    },
  });
  const message = wordsFor(save.error, ["name"]);
  return (
    <Section title={TEXTS.name} description={TEXTS.nameText}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label={TEXTS.name} error={errorAt(save.error, "name")} required>
          <Input value={name} maxLength={100} autoComplete="name" onChange={(event) => setName(event.target.value)} />
        </Field>
        <div>
          <Button type="submit" variant="primary" loading={save.isPending} disabled={name.trim() === person.name}>
            {TEXTS.saveName}
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
    <Section title={TEXTS.email} description={TEXTS.emailText}>
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">{person.email}</span>
        {person.email_verified ? (
          <Badge tone="positive">{TEXTS.confirmed}</Badge>
        ) : (
          <Badge tone="warning">{TEXTS.notConfirmed}</Badge>
        )}
      </p>
      {ask.isSuccess && (
        <Banner tone="positive" title={TEXTS.oneMoreStep}>
          {ask.data.sent === "mail" ? TEXTS.linkSent : TEXTS.linkInLog}
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
        <Field label={TEXTS.newEmail} hint={TEXTS.newEmailHint} error={errorAt(ask.error, "email")} required>
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
            {TEXTS.changeEmail}
          </Button>
        </div>
      </form>
      {dialog}
    </Section>
  );
}

/** The dashboard's language; nothing while there is only one. */
function LanguageChoice() {
  const languages = Object.entries(LANGUAGES) as [Language, string][];
  if (languages.length < 2) return null;
  return (
    <Section title={TEXTS.language} description={TEXTS.languageText}>
      <Field label={TEXTS.language} hideLabel className="max-w-60">
        <NativeSelect
          value={chosenLanguage() ?? ""}
          onChange={(event) => chooseLanguage(languages.find(([tag]) => tag === event.target.value)?.[0])}
        >
          <option value="">{TEXTS.languageAuto}</option>
          {languages.map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </NativeSelect>
      </Field>
    </Section>
  );
}
