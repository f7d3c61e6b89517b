import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language } from "../../texts/choose-language.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { OwnDataSection } from "./own-data-section.tsx";
import { isDeclined, useProof } from "./use-proof.tsx";

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
  const form = useApiForm({
    values: { name: person.name },
    send: (body) => api.call("PATCH /v1/me", { body }),
    onSent: async (saved) => {
      form.reset({ name: saved.name });
      await queries.invalidateQueries({ queryKey: ["session"] });
      toast({ title: TEXTS.nameSaved });
    },
  });
  return (
    <Section title={TEXTS.name} description={TEXTS.nameText}>
      <Form form={form}>
        <TextField form={form} name="name" label={TEXTS.name} required maxLength={100} autoComplete="name" />
        <div>
          <Button type="submit" variant="primary" loading={form.isSending} disabled={!form.isDirty}>
            {TEXTS.saveName}
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function AddressForm() {
  const { person } = useSession();
  const { guard, dialog } = useProof();
  const form = useApiForm({
    values: { email: "" },
    send: ({ email }) =>
      guard((current) => api.call("PATCH /v1/me", { body: { email, ...(current === undefined ? {} : { current }) } })),
    isSilent: isDeclined,
  });
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
      {form.answer !== undefined && (
        <Banner tone="positive" title={TEXTS.oneMoreStep}>
          {form.answer.sent === "mail" ? TEXTS.linkSent : TEXTS.linkInLog}
        </Banner>
      )}
      <Form form={form}>
        <TextField
          form={form}
          name="email"
          label={TEXTS.newEmail}
          hint={TEXTS.newEmailHint}
          required
          type="email"
          maxLength={254}
          autoComplete="email"
        />
        <div>
          <Button type="submit" loading={form.isSending}>
            {TEXTS.changeEmail}
          </Button>
        </div>
      </Form>
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
