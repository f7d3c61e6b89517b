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
};
