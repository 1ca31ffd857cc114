/** Counts tokens as a common tokenizer does, for budgets of what agents read. */
export { encode } from "npm:gpt-tokenizer@3.4.0";
