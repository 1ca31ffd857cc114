/** Reads the source of modules, to find what stands in it. */
import { parse } from "npm:@babel/parser@7.28.5";

/** The syntax tree of a module of TypeScript, with JSX where its name says so. */
export const syntaxOf = (text: string, path: string): unknown =>
  parse(text, { sourceType: "module", plugins: path.endsWith("x") ? ["typescript", "jsx"] : ["typescript"] })
    .program;
