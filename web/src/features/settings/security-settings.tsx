import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { PasskeySection } from "./passkey-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { SecondFactorSection } from "./second-factor-section.tsx";
import { SessionSection } from "./session-section.tsx";

/** The tab Security: how one logs in, and where one is logged in. */
export function SecuritySettings() {
  useDocumentTitle(texts.settings.tabs.security);
  if (!usePermission("person.read")) {
    return <EmptyState title={texts.sso.ownOnly.title}>{texts.sso.ownOnly.text}</EmptyState>;
  }
  return (
    <div className="grid max-w-3xl gap-10">
      <PasswordSection />
      <PasskeySection />
      <SecondFactorSection />
      <SessionSection />
    </div>
  );
}
