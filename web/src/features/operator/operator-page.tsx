import { Outlet } from "@tanstack/react-router";
import { Page } from "../../ui/page.tsx";
import { LinkTabs } from "../../ui/tabs.tsx";

const TABS = [
  { to: "/operator/accounts", label: "Accounts" },
  { to: "/operator/models", label: "Models" },
  { to: "/operator/codes", label: "Codes" },
  { to: "/operator/safety", label: "Safety" },
  { to: "/operator/health", label: "Health" },
  { to: "/operator/settings", label: "Settings" },
  { to: "/operator/audit", label: "Audit" },
] as const;

/** Operator: a page of tabs, each a route of its own. */
export function OperatorPage() {
  return (
    <Page
      title="Operator"
      description="The whole gateway, for those who run it."
      below={<LinkTabs label="Operator" items={TABS} />}
    >
      <Outlet />
    </Page>
  );
}
