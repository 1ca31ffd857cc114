/** Two posts or pages with one slug on a real WordPress without the companion plugin: told, and found where it was told. */
import { slugsTold } from "./_slugs.ts";
import { onWordPress } from "./_wordpress.ts";

onWordPress({
  "without the plugin too a slug that another one has is told before it goes live": (site) =>
    slugsTold(site, ["create_draft", "create_page_draft"]),
});
