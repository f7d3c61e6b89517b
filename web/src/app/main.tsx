import "../styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "../api/query-client.ts";
import { loadTexts } from "../texts/texts.ts";
import { Toaster } from "../ui/toast.tsx";
import { TooltipProvider } from "../ui/tooltip.tsx";
import { router } from "./router.tsx";

// Whatever adds a style of its own, such as the scroll lock under a dialog, shows the policy this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content;
if (nonce !== undefined && nonce !== "") setNonce(nonce);

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the app.");
const app = createRoot(root);
void loadTexts().then(() =>
  app.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <RouterProvider router={router} />
          <Toaster />
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>,
  ),
);
