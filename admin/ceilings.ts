/** What each risk ceiling permits, in the words of the command line's help and of docs/CONNECTING.md. */
import { RISK_DEFAULT } from "../core/model.ts";

/** By ceiling, what it permits beyond those below it; every sentence is tried by a test. */
export const CEILINGS: readonly (readonly string[])[] = [
  [
    "Read what the token's sites show; only tools that read are listed.",
  ],
  [
    "Make drafts of posts and pages, and change them while they are drafts, without script in them.",
    "Change the SEO fields and the structured data of drafts, and custom schema that is not live.",
    "Take a scheduled post or page back to a draft.",
    "Upload images, and make tags and categories; they have addresses of their own, which nothing links to.",
    "Redirect an address of the site that answers nobody to another place on the site.",
    "Have the sitemap made anew.",
    "Write pages without script, and files that no build runs, to a preview branch of a static site.",
    "Propose what a preview branch of a static site changes by a pull request, which people merge; nothing in it that the build runs.",
    "Leave the preview branch of a static site, so that the next write begins a new one.",
    "Keep markdown files in a repository that no static site is deployed from.",
    "Take back changes that the same token made, each under the ceiling of the tool that made it.",
    "Make a set of writes with one consent, each under the ceiling of its own tool.",
    "Replace a text wherever it occurs on a site, each place under the ceiling of the tool that changes it.",
  ],
  [
    "Schedule drafts, which then go live by themselves, and change what is scheduled.",
    "Make and change drafts and preview pages that hold script; the preview says what runs where.",
    "Write source files that the build of a preview branch runs.",
    "Propose changes of source files that the build runs by a pull request.",
    "Write many files to a preview branch at once, where the site has allow_full_repo_write.",
    "Have texts written, audited and run again by the topic-planning service, which spends its credits, where the site has allow_topicmap_write.",
    "Save files in storage folders, as new ones beside those there are, where the site has allow_storage_write.",
    "Change drafts by tools of sites' own servers, which can be shown first only where the site's companion plugin is paired; by those of the CRM, where the site has allow_crm_write, change its records and send messages to its contacts.",
  ],
  [
    "Publish posts and pages, where the site has allow_publish.",
    "Change the texts, the terms and the image of posts and pages that are live, where the site has allow_publish.",
    "Change the SEO fields and structured data of what is published, where the site has allow_seo_on_published.",
    "Change custom schema that is live.",
    "Redirect an address that answers visitors, or to another host, where the site has allow_seo_on_published.",
    "Write to the branch a static site is deployed from, where the site has allow_main_branch_push.",
    "Begin a static project, where the site has allow_full_repo_write, and allow_main_branch_push for the deployed branch.",
    "Change what visitors see by tools of sites' own servers, where the site has allow_publish.",
  ],
  [
    "Take a page off a static site's deployed branch, for super-admin tokens only.",
  ],
];

/** The same as the end of a command's help. */
export const CEILING_NOTES: string = [
  `What --max-risk permits, each ceiling with all above it in this list; without it ${RISK_DEFAULT}:\n`,
  ...CEILINGS.flatMap((sentences, ceiling) =>
    sentences.map((sentence, at) => `  ${at === 0 ? ceiling : " "}  ${sentence}`)
  ),
].join("\n");
