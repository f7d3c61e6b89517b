import type { Texts } from "../en/index.ts";

/** Operator → Clusters. */
export const clusters: Texts["clusters"] = {
  tab: "Clústeres",
  title: "Clústeres",
  description: "Los clústeres de PostgreSQL donde están las cuentas.",
  cluster: "Clúster",
  named: (number: number) => `Clúster ${number}`,
  home: "Principal",
  away: "Sin conexión",
  accounts: "Cuentas",
  accountsText: "Cada cuenta gasta en un clúster. Sus registros anteriores se quedan donde estaban.",
  balances: "Saldos",
  onTheWay: "En camino",
  size: "Tamaño",
  loading: "Cargando clústeres",
  one: "Una sola base de datos",
  oneText: "Indica varias en DATABASE_URLS para repartir las cuentas.",
  all: "Todos los clústeres",
  noneHere: "Ninguna cuenta de este clúster coincide.",
  move: "Mover",
  moveIt: "Mover…",
  moveNamed: (name: string) => `Mover ${name}`,
  moveText:
    "Tarda milisegundos. A las solicitudes que empiecen mientras tanto se les pide que lo intenten de nuevo; las que están en curso terminan donde empezaron.",
  to: "A",
  homeText: "Donde empiezan las cuentas nuevas.",
  awayText: "No se puede acceder en este momento.",
  moved: (name: string, number: number) => `${name} está en el clúster ${number}`,
  arrived: "Han llegado todos sus créditos.",
  credits: "Créditos",
  creditsOf: "{arrived} de {all}",
  following:
    "El resto está reservado por instancias en ejecución y llega en unos segundos. Puedes cerrar esta ventana.",
  past: (number: number) => `Sus registros hasta ahora se quedan en el clúster ${number} y se leen desde allí.`,
  done: "Listo",
};
