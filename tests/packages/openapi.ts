/** What an OpenAPI document must be, by the official schemas. */
export { Validator } from "npm:@seriousme/openapi-schema-validator@2.11.0";
