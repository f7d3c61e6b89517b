import { texts } from "../../texts/texts.ts";
import { useDocumentTitle } from "../../ui/page.tsx";
import { PasskeySection } from "./passkey-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { SecondFactorSection } from "./second-factor-section.tsx";
import { SessionSection } from "./session-section.tsx";

/** The tab Security: how one logs in, and where one is logged in. */
export function SecuritySettings() {
  useDocumentTitle(texts.settings.tabs.security);
  return (
    <div className="grid max-w-3xl gap-10">
      <PasswordSection />
      <PasskeySection />
      <SecondFactorSection />
      <SessionSection />
    </div>
  );
}
