import { createClient } from "@trunkline/sdk";
import { watchedFetch } from "./connection.ts";

/** The one client of the dashboard. The browser's session says who it is; the query client decides what is tried again. */
export const api = createClient({ maxRetries: 0, fetch: watchedFetch });
