import { useQuery } from "@tanstack/react-query";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { KeyValue } from "../../ui/key-value.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { AnotherOrganisation } from "./another-organisation.tsx";
import { LeaveOrClose } from "./leave-or-close.tsx";
import { OrganisationNames } from "./organisation-names.tsx";
import { organisationQuery } from "./organisation-query.ts";
import { labelOfRole } from "./roles.ts";

const TEXTS = texts.settings.organisation;

/** The tab Organisation: its names, another one, and the ways out. */
export function OrganisationSettings() {
  useDocumentTitle(texts.settings.tabs.organisation);
  const { account } = useSession();
  const { data, error, refetch } = useQuery(organisationQuery);
  if (data === undefined) {
    return error === null ? (
      <SkeletonRows rows={4} label={TEXTS.loading} />
    ) : (
      <ErrorState error={error} onRetry={refetch} />
    );
  }
  return (
    <div className="grid max-w-3xl gap-8">
      {data.suspended && (
        <Banner tone="warning" title={TEXTS.suspended}>
          {TEXTS.suspendedText}
        </Banner>
      )}
      <Section title={TEXTS.names} description={TEXTS.namesText}>
        <Card>
          <OrganisationNames key={`${data.id} ${data.name} ${data.provider}`} organisation={data} />
        </Card>
      </Section>
      <Section title={TEXTS.about}>
        <Card className="py-2! sm:py-3!">
          <KeyValue
            items={[
              {
                label: TEXTS.id,
                value: (
                  <span className="flex items-center gap-1">
                    <code className="min-w-0 text-sm wrap-anywhere">{data.id}</code>
                    <span className="-my-1.5">
                      <CopyButton text={data.id} label={TEXTS.copyId} iconOnly />
                    </span>
                  </span>
                ),
              },
              { label: TEXTS.yourRole, value: labelOfRole(account.role) },
              { label: TEXTS.created, value: <Time at={data.created_at} form="date" /> },
            ]}
          />
        </Card>
      </Section>
      <AnotherOrganisation />
      <LeaveOrClose organisation={data} />
    </div>
  );
}
