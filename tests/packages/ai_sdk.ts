/** The client of the Model Context Protocol that web applications use with Vercel's AI SDK. */
export { auth, createMCPClient, type OAuthClientProvider as ProviderAi } from "npm:@ai-sdk/mcp@2.0.99";
