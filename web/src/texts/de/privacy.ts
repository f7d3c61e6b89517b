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
};
