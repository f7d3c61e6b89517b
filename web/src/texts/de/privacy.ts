import type { privacy as english } from "../en/privacy.ts";

/** Datenregeln einer Organisation und die eigenen Daten. */
export const privacy: typeof english = {
  rules: "Datenregeln",
  rulesText:
    "Welche Modelle Ihre Organisation bedienen dürfen, nach den Angaben ihrer Anbieter. Schlüssel und Anfragen können nur strenger sein.",
  eu: "Anfragen nur in der EU verarbeiten",
  euText:
    "Modelle ohne Angabe einer Region oder mit einer außerhalb der EU scheiden aus. Der Dienst prüft die Angaben nicht.",
  noRetention: "Nur Anbieter nutzen, die nichts speichern",
  noRetentionText: "Modelle, die nach eigener Angabe Daten behalten oder nichts dazu angeben, scheiden aus.",
  otherRules: (regions: string) => `Über die API gesetzte Regionen: ${regions}. Einschalten ersetzt sie.`,
  saved: "Datenregeln gespeichert",
  own: "Ihre Daten",
  ownText: "Alles, was dieser Dienst über Sie speichert, als Datei – oder endgültig gelöscht.",
  download: "Meine Daten herunterladen",
  downloadFailed: "Die Datei konnte nicht erstellt werden. Versuchen Sie es erneut.",
  erase: "Mich löschen",
  eraseTitle: "Sich selbst löschen?",
  eraseWarning:
    "Sie werden überall abgemeldet und aus allen Organisationen entfernt. Ihr Name, Ihre E-Mail- und Netzwerkadressen werden gelöscht, auch in Audit-Protokollen. Abrechnungen und Anfragedaten bleiben; sie nennen keine Person. Das lässt sich nicht rückgängig machen.",
  signedExport: "Signierter Export",
  retention: {
    title: "Aufbewahrung",
    description:
      "Wie lange die Daten Ihrer Organisation aufbewahrt werden. Ältere Daten werden täglich gelöscht und lassen sich nicht wiederherstellen.",
    loading: "Aufbewahrung wird geladen",
    kinds: {
      contents: "Prompts und Antworten",
      details: "Details der Anfragen",
      responses: "Gespeicherte Antworten",
      audit_log: "Audit-Log",
    },
    kindTexts: {
      contents: "Bei jeder Anfrage, sofern sie gespeichert werden.",
      details: "Routing, Zeiten, Sicherheitsergebnisse, Tags und Feedback.",
      responses: "Antworten und Konversationen, die spätere Anfragen fortsetzen.",
      audit_log: "Wer was in Ihrer Organisation geändert hat.",
    },
    fixed: [
      ["Zeit, Schlüssel, Modell, Tokens und Kosten von Anfragen", "Werden aufbewahrt, weil Rechnungen davon abhängen."],
      ["Zahlungen", "Werden aufbewahrt."],
      ["Idempotente Antworten", "24 Stunden, damit eine wiederholte Anfrage dieselbe Antwort erhält."],
      ["Webhook-Zustellungen", "30 Tage."],
    ],
    days: "Tage",
    unlimited: "Unbegrenzt",
    atLeast: (least: number) => `Mindestens ${least} ${least === 1 ? "Tag" : "Tage"}; leer lassen für den Standard.`,
    between: (least: number, most: number) => `${least} bis ${most} Tage; leer lassen für den Standard.`,
    save: "Aufbewahrung speichern",
    saved: "Aufbewahrung gespeichert",
  },
};
