/** Files of a repository that hold secrets, by names in lower case and plain letters (docs/upstreams/github.md). */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Names, whole. */
const NAMES = words(`
  .envrc .git-credentials .npmrc .pnpmrc .yarnrc .yarnrc.yml .pypirc .netrc _netrc .pgpass .my.cnf .mylogin.cnf .dockercfg
  .s3cfg .boto .terraformrc terraform.rc .vault-token .databrickscfg .htpasswd htpasswd .htdigest .clasprc.json auth.json
  .ftpconfig .ftppass .sftp.json sftp.json sftp-config.json filezilla.xml recentservers.xml sitemanager.xml
  wp-config.php wp-config.bak kubeconfig .bash_history .zsh_history .mysql_history .psql_history .node_repl_history
  application_default_credentials.json rclone.conf .flaskenv .python_history azureprofile.json accesstokens.json
  secring.gpg localsettings.php
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
  "client-secret",
  "clientsecret",
  "gha-creds-",
];
/** In the folder of a program the files that hold its sign-ins, by how they begin. */
const IN_FOLDERS = new Map([
  [".docker", ["config.json"]],
  [".cargo", ["credentials"]],
  [".gem", ["credentials"]],
  [".m2", ["settings"]],
  [".bundle", ["config"]],
  [".config", ["gh", "gcloud", "hub", "rclone"]],
]);
/** What is put behind a name, or around it, where a file is kept beside itself. */
const KEPT_AS = /(?:~|#|[._-](?:bak|backup|old|orig|save|copy|sw[nop]|tmp|txt|\d{1,8}))$/;
const KEPT_BEGINS = /^\.?#|^\.(?=\.)/;
const KEPT_MAX = 3;
/** Names before the first dot that are blocked, but as a page or a picture. */
const STEMS = words("secret secrets");
/** The same, but as a program. */
const DATA_STEMS = words("credential credentials password passwords");
/** Endings of what visitors read: a page about secrets holds none. */
const PAGES = words(`
  .md .mdx .markdown .astro .html .htm .vue .svelte .tsx .jsx .css .scss .svg .png .jpg .jpeg .webp .avif .gif
`);
const PROGRAMS = words(".ts .mts .js .mjs .cjs .php .py");
/** A name that ends in a word for secrets, or is of an account's key, whatever it begins with. */
const SECRET_WORDS = /(?:^|[._-])(?:secrets?|credentials?)$|(?:^|[._-])service[_-]?accounts?(?:[._-]?key)?$/;
/** What a program's settings are called that would else be in .env. */
const ENV_NAMES = /^env\.(?:local|prod|production|dev|development|stage|staging)(?:\.|$)/;
/** Folders of programs that keep their sign-ins there. */
const FOLDERS = words(".aws .azure .gcloud .gnupg .kube .secrets .ssh .terraform .pulumi");

/** Whether a part of a path is the name of a file or folder that holds secrets, or of a copy of one; `next` is the part behind it. */
export function holdsSecrets(name: string, next: string | undefined): boolean {
  const begun = name.replace(KEPT_BEGINS, "");
  return isCopy(name, next) || (begun !== name && isCopy(begun, next));
}

function isCopy(name: string, next: string | undefined): boolean {
  let of = name;
  for (let copies = 0; copies <= KEPT_MAX; copies++) {
    if (isSecret(of, next)) return true;
    const without = of.replace(KEPT_AS, "");
    if (without === of) return false;
    of = without;
  }
  return false;
}

function isSecret(name: string, next: string | undefined): boolean {
  if (NAMES.has(name) || FOLDERS.has(name)) return true;
  if (/^\.env(?![a-z])|^id_(rsa|dsa|ecdsa|ed25519)/.test(name)) return true;
  if (ENV_NAMES.test(name) && !PROGRAMS.has(name.slice(name.lastIndexOf(".")))) return true;
  if (next !== undefined && IN_FOLDERS.get(name)?.some((begin) => next.startsWith(begin))) return true;
  const at = name.lastIndexOf(".");
  if (at < 0) return false;
  const ending = name.slice(at);
  if (ENDINGS.has(ending) || ENDINGS_WITHIN.some((part) => name.includes(part))) return true;
  if (PAGES.has(ending)) return false;
  const stem = name.slice(0, name.indexOf("."));
  return ending === ".env" || name.includes(".env.") || name.includes("firebase-adminsdk") ||
    STARTS.some((start) => name.startsWith(start)) || STEMS.has(stem) ||
    (!PROGRAMS.has(ending) && (DATA_STEMS.has(stem) || SECRET_WORDS.test(name.slice(0, at))));
}
