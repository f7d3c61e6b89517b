import type { privacy as english } from "../en/privacy.ts";

/** Reglas de datos de una organización y los datos propios. */
export const privacy: typeof english = {
  rules: "Reglas de datos",
  rulesText:
    "Qué modelos pueden atender a su organización, según lo que declaran sus proveedores. Las claves y las solicitudes solo pueden ser más estrictas.",
  eu: "Procesar las solicitudes solo en la UE",
  euText:
    "Se excluyen los modelos que no declaran región o declaran una fuera de la UE. El servicio no comprueba lo declarado.",
  noRetention: "Usar solo proveedores que no guardan nada",
  noRetentionText: "Se excluyen los modelos que declaran conservar datos o que no declaran nada.",
  otherRules: (regions: string) => `Regiones definidas por la API: ${regions}. Al activarlo se sustituyen.`,
  saved: "Reglas de datos guardadas",
  own: "Sus datos",
  ownText: "Todo lo que este servicio guarda sobre usted, como archivo o borrado para siempre.",
  download: "Descargar mis datos",
  downloadFailed: "No se pudo preparar el archivo. Inténtelo de nuevo.",
  erase: "Borrarme",
  eraseTitle: "¿Borrarse?",
  eraseWarning:
    "Se cerrará su sesión en todas partes y saldrá de todas las organizaciones. Su nombre, su correo y sus direcciones de red se borran, también de los registros de auditoría. Las facturas y los registros de solicitudes se conservan; no nombran a ninguna persona. No se puede deshacer.",
  signedExport: "Exportación firmada",
};
