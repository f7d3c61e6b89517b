/** Thumbs up or down on an answer, with a comment. */
export const feedback = {
  question: "这个回答好吗？",
  given: "反馈",
  good: "好的回答",
  bad: "差的回答",
  saving: "正在保存",
  verdicts: {
    good: "良好",
    bad: "差",
    neutral: "中立",
    goodBy: (score: string) => `好（${score}）`,
    badBy: (score: string) => `差（${score}）`,
  },
  addComment: "添加评论",
  editComment: "编辑评论",
  comment: "评论",
  commentHint: "供团队参考，不影响路由。",
  save: "保存评论",
  failed: "无法保存反馈",
};
