import type { configuration as english } from "../en/configuration.ts";
import { plural } from "../plural.ts";

/** Betreiber, Konfiguration. */
export const configuration: typeof english = {
  title: "Konfiguration",
  intro:
    "Womit diese Instanz läuft. Eine Einstellung im Dashboard gilt vor einer Variablen und eine Variable vor der Konfigurationsdatei. Geheimnisse werden nie angezeigt.",
  loading: "Konfiguration wird geladen",
  show: "Anzeigen",
  changed: "Geändert",
  all: "Alle",
  search: "Einstellungen suchen",
  name: "Einstellung",
  value: "Wert",
  source: "Stammt aus",
  notSet: "nicht gesetzt",
  secret: "gesetzt, verborgen",
  count: (count: number) => plural(count, { one: "Einstellung", other: "Einstellungen" }),
  none: "Keine Einstellung gefunden",
  sources: {
    default: "Standard",
    file: "Konfigurationsdatei",
    environment: "Umgebung",
    "command line": "Befehlszeile",
    dashboard: "Dashboard",
  },
};
