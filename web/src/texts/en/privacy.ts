/** Data rules of an organisation, and a person's own data. */
export const privacy = {
  rules: "Data rules",
  rulesText:
    "Which models may serve your organisation, by what their providers claim. Keys and requests can only be stricter.",
  eu: "Process requests in the EU only",
  euText:
    "Models that claim no region, or one outside the EU, are left out. The claims are not checked by the service.",
  noRetention: "Use only providers that store nothing",
  noRetentionText: "Models that claim to keep data, or claim nothing about it, are left out.",
  otherRules: (regions: string) => `Regions set by the API: ${regions}. Turning this on replaces them.`,
  saved: "Data rules saved",
  own: "Your data",
  ownText: "Everything this service stores about you, as a file, or gone for good.",
  download: "Download my data",
  downloadFailed: "Couldn't prepare the file. Try again.",
  erase: "Erase me",
  eraseTitle: "Erase yourself?",
  eraseWarning:
    "You are logged out everywhere and removed from all organisations, and your name, email and network addresses are erased, also from audit logs. Bills and request records stay; they name no person. This can't be undone.",
  signedExport: "Signed export",
  retention: {
    title: "Retention",
    description: "How long your organisation's data is kept. Older data is deleted every day and can't be restored.",
    loading: "Loading retention",
    kinds: {
      contents: "Prompts and answers",
      details: "Request details",
      responses: "Stored responses",
      audit_log: "Audit log",
    },
    kindTexts: {
      contents: "With each request, if they are stored.",
      details: "Routing, timing, safety results, tags and feedback.",
      responses: "Responses and conversations that later requests continue.",
      audit_log: "Who changed what in your organisation.",
    },
    fixed: [
      ["Time, key, model, tokens and cost of requests", "Kept, because bills depend on them."],
      ["Payments", "Kept."],
      ["Idempotent answers", "24 hours, so that a retried request gets the same answer."],
      ["Webhook deliveries", "30 days."],
    ],
    days: "days",
    unlimited: "No limit",
    atLeast: (least: number) => `At least ${least} ${least === 1 ? "day" : "days"}; leave blank for the default.`,
    between: (least: number, most: number) => `${least} to ${most} days; leave blank for the default.`,
    save: "Save retention",
    saved: "Retention saved",
  },
};
