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
  retention: {
    title: "Retención",
    description:
      "Cuánto tiempo se conservan los datos de tu organización. Los datos más antiguos se eliminan cada día y no se pueden recuperar.",
    loading: "Cargando la retención",
    kinds: {
      contents: "Prompts y respuestas",
      details: "Detalles de las solicitudes",
      responses: "Respuestas guardadas",
      audit_log: "Registro de auditoría",
    },
    kindTexts: {
      contents: "Con cada solicitud, si se guardan.",
      details: "Enrutamiento, tiempos, resultados de seguridad, etiquetas y comentarios.",
      responses: "Respuestas y conversaciones que continúan solicitudes posteriores.",
      audit_log: "Quién cambió qué en tu organización.",
    },
    fixed: [
      [
        "Hora, clave, modelo, tokens y coste de las solicitudes",
        "Se conservan, porque las facturas dependen de ellos.",
      ],
      ["Pagos", "Se conservan."],
      ["Respuestas idempotentes", "24 horas, para que una solicitud repetida reciba la misma respuesta."],
      ["Entregas de webhooks", "30 días."],
    ],
    days: "días",
    unlimited: "Sin límite",
    atLeast: (least: number) =>
      `Al menos ${least} ${least === 1 ? "día" : "días"}; déjalo vacío para usar el valor predeterminado.`,
    between: (least: number, most: number) =>
      `De ${least} a ${most} días; déjalo vacío para usar el valor predeterminado.`,
    save: "Guardar la retención",
    saved: "Retención guardada",
  },
};
