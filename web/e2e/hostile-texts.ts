/** Texts that would do harm wherever they were taken for more than text. */
export const SCRIPT = `<script>window.harmed=1</script>`;
export const IMAGE = `<img src=x onerror="window.harmed=1">`;
export const LINK = `javascript:window.harmed=1`;
export const ANSI = "\u001b[31mred\u001b[0m\u001b]8;;https://evil.example\u0007here\u001b]8;;\u0007";
export const HOSTILE = `${SCRIPT}${IMAGE}[click](${LINK}) ${ANSI} \u202egnp.exe`;
