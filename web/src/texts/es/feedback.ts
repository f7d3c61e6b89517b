/** Thumbs up or down on an answer, with a comment. */
export const feedback = {
  question: "¿Fue buena esta respuesta?",
  given: "Comentarios",
  good: "Buena respuesta",
  bad: "Mala respuesta",
  saving: "Guardando",
  verdicts: {
    good: "Buena",
    bad: "Mala",
    neutral: "Neutral",
    goodBy: (score: string) => `Buena (${score})`,
    badBy: (score: string) => `Mala (${score})`,
  },
  addComment: "Añadir comentario",
  editComment: "Editar comentario",
  comment: "Comentario",
  commentHint: "Para tu equipo. No afecta al enrutamiento.",
  save: "Guardar comentario",
  failed: "No se pudieron guardar tus comentarios",
};
