/** What the browser's side of the API says. */
export const api = {
  failed: "問題が発生しました。もう一度お試しください。",
  wallet: {
    declined: "ウォレットで拒否されました。何も送信されていません。",
    noAddress: (name: string) => `${name} からアドレスを取得できませんでした。ロックを解除してもう一度お試しください。`,
    notSigned: (name: string) => `${name} で署名されませんでした。もう一度お試しください。`,
    unknownChain: (name: string, chain: number) =>
      `${name} はチェーン ${chain} に対応していません。追加してからお支払いください。`,
    notSent: (name: string) => `${name} から送信されませんでした。もう一度お試しください。`,
  },
  passkeys: {
    bareAddress: "パスキーは IP アドレスでは使えません。ドメイン名でこのページを開いてください。",
    insecure: "パスキーには HTTPS が必要です。https:// のアドレスでこのページを開いてください。",
    unsupported: "このブラウザーはパスキーに対応していません。",
    notUsed: "パスキーは使用されませんでした。",
    notCreated: "パスキーは作成されませんでした。",
    exists: "このデバイスにはすでにアカウントのパスキーがあります。",
  },
};
