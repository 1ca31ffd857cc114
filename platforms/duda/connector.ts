/** Duda, a hosted site builder: sites can be registered; this version does not reach it yet. */
import { fail, flagChecks, pass, unknown } from "../checks.ts";
import { described } from "../connector.ts";
import { base, given, secret } from "../settings.ts";
import { textField } from "../site_fields.ts";

export default described({
  name: "duda",
  product: "Duda",
  kinds: ["sitebuilder"],
  scope: "site",
  settings: {
    SITEBUILDER_API_BASE: base("https://api.duda.co/api", "Duda"),
    SITEBUILDER_API_USER: given("Duda API user"),
    SITEBUILDER_API_PASSWORD: secret("Duda API password"),
  },
  siteFields: {
    site_alias: textField("a site alias of letters, digits, - and _", /^[A-Za-z0-9_-]{1,64}$/),
  },
  checks: [{
    kinds: ["sitebuilder"],
    names: ["site_alias", "site_answers", "allow_publish"],
    run: ({ site }) => [
      site.site_alias === null
        ? fail(
          "site_alias",
          "The site's record has no site_alias, by which the platform knows it",
          `deno task admin site update ${site.id} --site-alias <alias>`,
        )
        : pass("site_alias", `The platform knows it as "${site.site_alias}"`),
      unknown(
        "site_answers",
        "Not asked: this gateway does not diagnose sites of that platform from afar",
        "Open the site itself",
      ),
      ...flagChecks(site, ["allow_publish"]),
    ],
  }],
});
