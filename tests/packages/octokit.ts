/** What the service's client of GitHub throws. */
export { RequestError } from "npm:@octokit/request-error@7.1.2";
