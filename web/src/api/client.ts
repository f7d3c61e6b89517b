import { createClient } from "@trunkline/sdk";

/** The one client of the dashboard. The browser's session says who it is. */
export const api = createClient();
