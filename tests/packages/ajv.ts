/** JSON Schema, as descriptions of vendors are written in it. */
export { Ajv, type ValidateFunction } from "npm:ajv@8.20.0";
export { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";
export { default as addFormats } from "npm:ajv-formats@3.0.1";
