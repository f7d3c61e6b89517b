import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { Section } from "../../ui/section.tsx";
import { Switch } from "../../ui/switch.tsx";

const TEXTS = texts.privacy;

type Rules = AnswerOf<"GET /v1/settings">["data_rules"];

interface DataRulesSectionProps {
  readonly rules: Rules;
  readonly disabled: boolean;
  readonly onChange: (change: BodyOf<"PATCH /v1/settings">) => void;
}

/** Where requests may be processed, and whether providers may keep them. */
export function DataRulesSection({ rules, disabled, onChange }: DataRulesSectionProps) {
  const isEu = rules.regions?.length === 1 && rules.regions[0] === "eu";
  const hasOthers = rules.regions !== null && !isEu;
  const change = (next: Partial<Rules>) => onChange({ data_rules: { ...rules, ...next } });
  return (
    <Section title={TEXTS.rules} description={TEXTS.rulesText}>
      <Card className="grid gap-5">
        <Switch
          label={TEXTS.eu}
          description={hasOthers ? TEXTS.otherRules((rules.regions ?? []).join(", ")) : TEXTS.euText}
          checked={isEu}
          disabled={disabled}
          onCheckedChange={(isOn) => change({ regions: isOn ? ["eu"] : null })}
        />
        <Switch
          label={TEXTS.noRetention}
          description={TEXTS.noRetentionText}
          checked={rules.retention_days === 0}
          disabled={disabled}
          onCheckedChange={(isOn) => change({ retention_days: isOn ? 0 : null })}
        />
      </Card>
    </Section>
  );
}
