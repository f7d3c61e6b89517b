/** Thumbs up or down on an answer, with a comment. */
export const feedback = {
  question: "この回答は良かったですか？",
  given: "フィードバック",
  good: "良い回答",
  bad: "悪い回答",
  saving: "保存中",
  verdicts: {
    good: "良い",
    bad: "悪い",
    neutral: "どちらでもない",
    goodBy: (score: string) => `良い（${score}）`,
    badBy: (score: string) => `悪い（${score}）`,
  },
  addComment: "コメントを追加",
  editComment: "コメントを編集",
  comment: "コメント",
  commentHint: "チーム用です。ルーティングには影響しません。",
  save: "コメントを保存",
  failed: "フィードバックを保存できませんでした",
};
