import type { configuration as english } from "../en/configuration.ts";
import { plural } from "../plural.ts";

/** Operador, configuración. */
export const configuration: typeof english = {
  title: "Configuración",
  intro:
    "Con qué funciona esta instancia. Un ajuste del panel prevalece sobre una variable, y una variable sobre el archivo de configuración. Los secretos nunca se muestran.",
  loading: "Cargando la configuración",
  show: "Mostrar",
  changed: "Modificados",
  all: "Todos",
  search: "Buscar ajustes",
  name: "Ajuste",
  value: "Valor",
  source: "Procede de",
  notSet: "sin definir",
  secret: "definido, oculto",
  count: (count: number) => plural(count, { one: "ajuste", other: "ajustes" }),
  none: "No se encontró ningún ajuste",
  sources: {
    default: "Predeterminado",
    file: "Archivo de configuración",
    environment: "Entorno",
    "command line": "Línea de órdenes",
    dashboard: "Panel",
  },
};
