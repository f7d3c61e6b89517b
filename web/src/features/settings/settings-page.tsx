import { Outlet } from "@tanstack/react-router";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Page } from "../../ui/page.tsx";
import { LinkTabs } from "../../ui/tabs.tsx";

const TEXTS = texts.settings;

const TABS: readonly { readonly to: string; readonly label: string; readonly power?: string }[] = [
  { to: "/settings/profile", label: TEXTS.tabs.profile },
  { to: "/settings/security", label: TEXTS.tabs.security, power: "person.read" },
  { to: "/settings/organisation", label: TEXTS.tabs.organisation },
  { to: "/settings/members", label: TEXTS.tabs.members, power: "members.read" },
  { to: "/settings/sso", label: texts.sso.tab, power: "sso.read" },
  { to: "/settings/service-accounts", label: texts.sso.accounts.tab, power: "keys.read" },
  { to: "/settings/audit", label: TEXTS.tabs.audit, power: "audit.read" },
  { to: "/settings/data", label: TEXTS.tabs.data, power: "settings.read" },
  { to: "/settings/provider-keys", label: TEXTS.tabs.providerKeys, power: "settings.read" },
  { to: "/settings/webhooks", label: TEXTS.tabs.webhooks, power: "webhooks.read" },
  { to: "/settings/log-export", label: texts.hooks.sinks.tab, power: "webhooks.read" },
  { to: "/settings/guardrails", label: texts.hooks.guardrails.tab, power: "webhooks.read" },
];

/** Settings: a page of tabs, each with its own route. A tab is hidden without its permission. */
export function SettingsPage() {
  const { powers } = useSession();
  const tabs = TABS.filter(({ power }) => power === undefined || powers.includes(power));
  return (
    <Page title={TEXTS.title} below={<LinkTabs label={TEXTS.title} items={tabs} />}>
      <Outlet />
    </Page>
  );
}
