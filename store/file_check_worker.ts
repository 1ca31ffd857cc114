/** The thread on which a large file of a store is read to its end: it is given the path, and answers what is wrong. */
import { damageOfPages } from "./file_check.ts";

const thread = globalThis as unknown as {
  onmessage: (event: MessageEvent<string>) => void;
  postMessage(found: string | null): void;
};

thread.onmessage = ({ data }) => thread.postMessage(damageOfPages(data));
