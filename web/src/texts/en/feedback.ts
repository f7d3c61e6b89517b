/** Thumbs up or down on an answer, with a comment. */
export const feedback = {
  question: "Was this answer good?",
  given: "Feedback",
  good: "Good answer",
  bad: "Bad answer",
  saving: "Saving",
  verdicts: {
    good: "Good",
    bad: "Bad",
    neutral: "Neutral",
    goodBy: (score: string) => `Good (${score})`,
    badBy: (score: string) => `Bad (${score})`,
  },
  addComment: "Add comment",
  editComment: "Edit comment",
  comment: "Comment",
  commentHint: "For your team. It does not affect routing.",
  save: "Save comment",
  failed: "Couldn't save your feedback",
};
