import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const SHARED = /lucide-react|@tanstack\/(?:react-query|query-core)|\/web\/src\/(?:ui|shared|api)\//;
const FORMS = /react-hook-form|\/web\/src\/(?:ui\/(?:form|form-dialog|new-password)|api\/use-api-form)\.tsx?$/;

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../server/dist/web",
    emptyOutDir: true,
    target: "es2022",
    // The colours of both themes are written with light-dark(), which must reach the browser as it is.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The policy allows no inline scripts and no data: fonts or scripts, so nothing is folded into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Each file costs a response's headers, which are larger than an icon: what many pages share is one file.
        codeSplitting: {
          groups: [
            { name: "shared", test: (id) => SHARED.test(id) && !FORMS.test(id), minShareCount: 5, priority: 2 },
            // Pages without a form do without them.
            { name: "forms", test: FORMS, priority: 1 },
          ],
        },
      },
    },
  },
});
