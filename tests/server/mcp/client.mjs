// Drives a server with the official TypeScript SDK; prints what it got as one line of JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, given] = process.argv.slice(2);
const { target, calls } = JSON.parse(given);
const transport =
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });
const client = new Client({ name: "typescript", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const answers = {};
for (const [name, argument] of Object.entries(calls)) {
  const result = await client.callTool({ name, arguments: argument });
  answers[name] = { text: result.content[0].text, isError: result.isError ?? false };
}
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
const refused = await client.callTool({ name: "read", arguments: { note: 7, more: 1 } });
const unknown = await client.callTool({ name: "nothing", arguments: {} }).catch((error) => error.code);
await client.close();
console.log(JSON.stringify({
  server: client.getServerVersion(), tools: tools.map((tool) => tool.name), answers,
  resource: contents[0].text, refused: refused.isError, unknown,
}));
