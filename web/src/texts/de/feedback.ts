/** Thumbs up or down on an answer, with a comment. */
export const feedback = {
  question: "War diese Antwort gut?",
  given: "Feedback",
  good: "Gute Antwort",
  bad: "Schlechte Antwort",
  saving: "Wird gespeichert",
  verdicts: {
    good: "Gut",
    bad: "Schlecht",
    neutral: "Neutral",
    goodBy: (score: string) => `Gut (${score})`,
    badBy: (score: string) => `Schlecht (${score})`,
  },
  addComment: "Kommentar hinzufügen",
  editComment: "Kommentar bearbeiten",
  comment: "Kommentar",
  commentHint: "Für Ihr Team. Hat keinen Einfluss auf das Routing.",
  save: "Kommentar speichern",
  failed: "Ihr Feedback konnte nicht gespeichert werden",
};
