import { plural } from "../plural.ts";

/** Operator, Configuration: each setting of the service and where it comes from. */
export const configuration = {
  title: "Configuration",
  intro:
    "What this instance runs with. A setting of the dashboard goes before a variable, and a variable before the configuration file. Secrets are never shown.",
  loading: "Loading the configuration",
  show: "Show",
  changed: "Changed",
  all: "All",
  search: "Search settings",
  name: "Setting",
  value: "Value",
  source: "Comes from",
  notSet: "not set",
  secret: "set, hidden",
  count: (count: number) => plural(count, { one: "setting", other: "settings" }),
  none: "No setting found",
  sources: {
    default: "Default",
    file: "Configuration file",
    environment: "Environment",
    "command line": "Command line",
    dashboard: "Dashboard",
  },
};
