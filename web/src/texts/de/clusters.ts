import type { Texts } from "../en/index.ts";

/** Operator → Clusters. */
export const clusters: Texts["clusters"] = {
  tab: "Cluster",
  title: "Cluster",
  description: "Die PostgreSQL-Cluster, auf denen Konten liegen.",
  cluster: "Cluster",
  named: (number: number) => `Cluster ${number}`,
  home: "Zentral",
  away: "Nicht erreichbar",
  accounts: "Konten",
  accountsText: "Jedes Konto bucht auf einem Cluster. Frühere Einträge bleiben, wo sie waren.",
  balances: "Guthaben",
  onTheWay: "Unterwegs",
  size: "Größe",
  loading: "Cluster werden geladen",
  one: "Eine Datenbank",
  oneText: "Nennen Sie mehrere in DATABASE_URLS, um Konten darauf zu verteilen.",
  all: "Alle Cluster",
  noneHere: "Kein Konto auf diesem Cluster passt.",
  move: "Verschieben",
  moveIt: "Verschieben…",
  moveNamed: (name: string) => `${name} verschieben`,
  moveText:
    "Dauert Millisekunden. Anfragen, die währenddessen beginnen, sollen es erneut versuchen; laufende enden, wo sie begonnen haben.",
  to: "Nach",
  homeText: "Hier beginnen neue Konten.",
  awayText: "Zurzeit nicht erreichbar.",
  moved: (name: string, number: number) => `${name} liegt auf Cluster ${number}`,
  arrived: "Das gesamte Guthaben ist angekommen.",
  credits: "Guthaben",
  creditsOf: "{arrived} von {all}",
  following:
    "Den Rest haben laufende Instanzen reserviert; er folgt in wenigen Sekunden. Sie können dieses Fenster schließen.",
  past: (number: number) => `Die bisherigen Einträge bleiben auf Cluster ${number} und werden von dort gelesen.`,
  done: "Fertig",
};
