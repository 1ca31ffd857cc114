/** What WordPress does to text: slugs, entities, paragraphs, curly quotes, and filtering for the untrusted. */

/** `sanitize_title`: lower case ASCII letters, digits, `_` and single `-`; other letters percent-encoded. */
export function slugify(text: string): string {
  const plain = text.replaceAll(/<[^>]*>/g, "").normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll("æ", "ae").replaceAll("Æ", "Ae").replaceAll("ø", "o").replaceAll("Ø", "O")
    .replaceAll("ß", "s").replaceAll("œ", "oe").replaceAll("đ", "d").replaceAll("ł", "l");
  const kept = plain.toLowerCase().replaceAll(/&[^;\s]+?;/g, "").replaceAll(/[./]/g, "-")
    .replaceAll(/[\u2010-\u2015\u00a0]/g, "-").replaceAll(/[\u2018-\u201f\u00ab\u00bb©®°…´`]/g, "");
  return encodeURIComponent(kept).toLowerCase().replaceAll("%20", "-")
    .replaceAll(/%[0-7][0-9a-f]/g, "").replaceAll(/[^%a-z0-9_-]/g, "")
    .replaceAll(/-+/g, "-").replaceAll(/^-|-$/g, "");
}

/** `esc_html` of what is not yet an entity. */
export function escapeText(text: string): string {
  return text.replaceAll(/&(?!(?:[a-z]+|#\d+|#x[0-9a-f]+);)/gi, "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Text without tags, one line, trimmed (`sanitize_text_field`). */
export function plainText(text: string): string {
  return text.replaceAll(/<(script|style)[^>]*>.*?<\/\1>/gis, "").replaceAll(/<[^>]*>/g, "")
    .replaceAll(/[\r\n\t ]+/g, " ").trim();
}

/** The most usual of `wptexturize`: curly quotes, dashes, dots and the bare ampersand, outside tags. */
export function texturize(text: string): string {
  return text.split(/(<[^>]*>)/).map((part, index) => {
    if (index % 2 === 1) return part;
    return part.replaceAll(/&(?!(?:[a-z]+|#\d+|#x[0-9a-f]+);)/gi, "&#038;").replaceAll("...", "&#8230;")
      .replaceAll(/(^|[\s(\[])"/g, "$1&#8220;").replaceAll('"', "&#8221;")
      .replaceAll(/(^|[\s(\[])'/g, "$1&#8216;").replaceAll("'", "&#8217;")
      .replaceAll(" -- ", " &#8212; ").replaceAll(" - ", " &#8211; ");
  }).join("");
}

const BLOCK =
  /^<\/?(?:p|div|h[1-6]|ul|ol|li|table|figure|blockquote|pre|script|style|section|hr|form|iframe)\b/i;

/** What readers get of a post's source: block comments gone, bare text in paragraphs. */
export function renderContent(source: string): string {
  const plain = source.replaceAll(/<!--\s*\/?wp:.*?-->\n?/gs, "").trim();
  if (plain === "") return "";
  const parts = plain.split(/\n\s*\n/).map((part) => part.trim()).filter((part) => part !== "");
  const made = parts.map((part) => BLOCK.test(part) ? part : `<p>${part.replaceAll("\n", "<br />\n")}</p>`);
  return `${made.map(texturize).join("\n")}\n`;
}

const ALLOWED = new Set(
  ("a abbr address article aside b blockquote br button caption cite code col colgroup dd del details dfn div dl " +
    "dt em fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd label legend li main map " +
    "mark nav ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead " +
    "tr tt u ul var video audio track").split(" "),
);

/** `wp_kses_post`, roughly: tags not allowed and event attributes go, the text between them stays. */
export function filterHtml(html: string): string {
  return html.replaceAll(
    /<(\/?)([a-z][a-z0-9]*)\b([^>]*)>/gi,
    (_, slash: string, tag: string, rest: string) => {
      if (!ALLOWED.has(tag.toLowerCase())) return "";
      const kept = rest.replaceAll(/\s+on[a-z]+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, "")
        .replaceAll(/(href|src)(\s*=\s*["']?)\s*javascript:/gi, "$1$2");
      return `<${slash}${tag}${kept}>`;
    },
  );
}
