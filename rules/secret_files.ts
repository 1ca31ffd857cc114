/** Files of a repository that hold secrets, by names in lower case and plain letters (docs/upstreams/github.md). */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Names, whole. */
const NAMES = words(`
  .envrc .git-credentials .npmrc .pnpmrc .yarnrc .yarnrc.yml .pypirc .netrc _netrc .pgpass .my.cnf .mylogin.cnf .dockercfg
  .s3cfg .boto .terraformrc terraform.rc .vault-token .databrickscfg .htpasswd htpasswd .htdigest .clasprc.json auth.json
  .ftpconfig .ftppass .sftp.json sftp.json sftp-config.json filezilla.xml recentservers.xml sitemanager.xml
  wp-config.php wp-config.bak kubeconfig .bash_history .zsh_history .mysql_history .psql_history .node_repl_history
  application_default_credentials.json
`);
/** What a name ends in, from its last dot. */
const ENDINGS = words(`
  .pem .key .p8 .p12 .pkcs12 .pfx .ppk .jks .keystore .keytab .kdb .kdbx .psafe3 .agilekeychain .keychain .kwallet .ovpn
  .tfstate .tfvars .secret .secrets
`);
/** Such an ending with something behind it: a backup, or the same as JSON. */
const ENDINGS_WITHIN = [".tfstate.", ".tfvars."];
/** What a name begins with, whatever follows. */
const STARTS = [
  ".dev.vars",
  "service-account",
  "service_account",
  "serviceaccount",
  "client_secret",
  "gha-creds-",
];
/** Names before the first dot that are blocked, but as a page or a picture. */
const STEMS = words("secret secrets");
/** The same, but as a program. */
const DATA_STEMS = words("credential credentials password passwords");
/** Endings of what visitors read: a page about secrets holds none. */
const PAGES = words(`
  .md .mdx .markdown .astro .html .htm .vue .svelte .tsx .jsx .css .scss .svg .png .jpg .jpeg .webp .avif .gif
`);
const PROGRAMS = words(".ts .mts .js .mjs .cjs .php .py");
/** Folders of programs that keep their sign-ins there. */
const FOLDERS = words(".aws .azure .gcloud .gnupg .kube .secrets .ssh .terraform .pulumi");

/** Whether a part of a path is the name of a file or folder that holds secrets; `next` is the part behind it. */
export function holdsSecrets(name: string, next: string | undefined): boolean {
  if (NAMES.has(name) || FOLDERS.has(name)) return true;
  if (/^\.env(?![a-z])|^id_(rsa|dsa|ecdsa|ed25519)/.test(name)) return true;
  if (name === ".docker" && next === "config.json") return true;
  const at = name.lastIndexOf(".");
  if (at < 0) return false;
  const ending = name.slice(at);
  if (ENDINGS.has(ending) || ENDINGS_WITHIN.some((part) => name.includes(part))) return true;
  if (PAGES.has(ending)) return false;
  const stem = name.slice(0, name.indexOf("."));
  return ending === ".env" || name.includes(".env.") || name.includes("firebase-adminsdk") ||
    STARTS.some((start) => name.startsWith(start)) || STEMS.has(stem) ||
    (DATA_STEMS.has(stem) && !PROGRAMS.has(ending));
}
