import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { DirectoryToken } from "./directory-token.tsx";
import { EmailDomains } from "./email-domains.tsx";
import { IdentityProviderForm } from "./identity-provider-form.tsx";
import { NeedsRole } from "./needs-role.tsx";
import { ssoQuery } from "./sso-queries.ts";

const TEXTS = texts.sso;

/** The tab Single sign-on: the identity provider, the domains it is trusted for, and whether it is enforced. */
export function SsoSettings() {
  useDocumentTitle(TEXTS.tab);
  return usePermission("sso.read") ? <Settings /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function Settings() {
  const mayChange = usePermission("sso.change");
  const { data, error, refetch } = useQuery(ssoQuery);
  if (data === undefined) {
    return error === null ? (
      <SkeletonRows rows={6} label={TEXTS.loading} />
    ) : (
      <ErrorState error={error} onRetry={refetch} />
    );
  }
  return (
    <div className="grid max-w-3xl gap-8">
      {!mayChange && <Banner tone="info">{TEXTS.onlyOwners}</Banner>}
      <Section title={TEXTS.provider.title} description={TEXTS.provider.description}>
        <Card>
          <IdentityProviderForm
            key={data.provider?.id ?? "new"}
            provider={data.provider ?? undefined}
            mayChange={mayChange}
          />
        </Card>
      </Section>
      <EmailDomains mayChange={mayChange} />
      {mayChange && <DirectoryToken />}
      {data.provider !== null && <Enforcement isEnforced={data.enforced} mayChange={mayChange} />}
    </div>
  );
}

function Enforcement({ isEnforced, mayChange }: { readonly isEnforced: boolean; readonly mayChange: boolean }) {
  const queries = useQueryClient();
  // Only a session by single sign-on lacks this.
  const isByOwnMeans = usePermission("person.change");
  const enforce = useMutation({
    mutationFn: (enforced: boolean) => api.call("POST /v1/organisation/sso/enforcement", { body: { enforced } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ssoQuery.queryKey }),
  });
  const fault = errorBeside(enforce.error, []);
  const isLocked = isByOwnMeans && !isEnforced;
  return (
    <Section title={TEXTS.enforcement.title}>
      <Card className="grid gap-3">
        <Switch
          label={TEXTS.enforcement.label}
          description={TEXTS.enforcement.description}
          checked={isEnforced}
          disabled={!mayChange || isLocked || enforce.isPending}
          onCheckedChange={(enforced) => enforce.mutate(enforced)}
        />
        {isLocked && mayChange && <p className="text-sm text-muted">{TEXTS.enforcement.bySsoFirst}</p>}
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </Card>
    </Section>
  );
}
