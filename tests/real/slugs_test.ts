/** Two posts or pages with one slug on a real WordPress with the companion plugin: told, and found where it was told. */
import { PLUGIN } from "../companion/site.ts";
import { slugsTold } from "./_slugs.ts";
import { onWordPress } from "./_wordpress.ts";

onWordPress({
  "a slug that another one has is told when the second is made and before it goes live": (site) =>
    slugsTold(site, ["create_draft", "create_page_draft", "create_page_from_code"]),
}, { plugins: [PLUGIN] });
