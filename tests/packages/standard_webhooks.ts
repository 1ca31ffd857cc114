/** What receivers of Standard Webhooks check with: the specification's own library. */
export { Webhook, WebhookVerificationError } from "npm:standardwebhooks@1.1.1";
