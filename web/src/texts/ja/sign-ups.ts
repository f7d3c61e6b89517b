import { plural } from "../plural.ts";

/** The operator's view of waiting sign-ups, and of the mail server. */
export const signUps = {
  title: "承認待ちの登録",
  count: (count: number) => plural(count, { one: "件の登録が承認待ちです", other: "件の登録が承認待ちです" }),
  description: "登録したがメールアドレスを確認していない人。",
  noMail: "このサービスはメールを送信できません。ここで承認するか、リンクを直接送ってください。",
  loading: "登録を読み込み中",
  person: "ユーザー",
  organisation: "組織",
  signedUp: "登録日時",
  expires: "有効期限",
  actions: "操作",
  approve: "承認",
  approveFor: (email: string) => `${email} を承認`,
  approved: (email: string) => `${email} を承認しました`,
  approvedText: "アカウントを利用できるようになりました。",
  copyLink: "リンクをコピー",
  copyLinkFor: (email: string) => `${email} のリンクをコピー`,
  linkTitle: "このリンクを送ってください",
  linkText: (email: string) =>
    `${email} に送ってください。アカウントを有効にするリンクで、1 回だけ使え、1 日で失効します。`,
  link: "リンク",
  done: "完了",
  decline: "却下",
  declineFor: (email: string) => `${email} を却下`,
  declined: (email: string) => `${email} を却下しました`,
  mail: {
    title: "メール",
    loading: "メール設定を読み込み中",
    on: "メールは設定済みです",
    onText: "{server} から {from} として送信されます。",
    off: "メールは未設定です",
    offText:
      "{url} と {from} を設定してサービスを再起動してください。それまでは「アカウント」で登録を承認してください。パスワード再設定のリンクはログにあります。",
    to: "テストメールの宛先",
    send: "テストメールを送信",
    sent: "テストメールを送信しました",
    sentText: (to: string) => `メールサーバーが受け付けました。${to} の受信箱を確認してください。`,
    failed: "メールサーバーがテストメールを受け付けませんでした",
  },
};
