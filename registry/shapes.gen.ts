/** Written by `deno task gen` from the manifests; not edited by hand. */

// deno-lint-ignore no-empty-interface
export interface Shapes {}
