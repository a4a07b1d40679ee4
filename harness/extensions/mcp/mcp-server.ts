/** A server of the Model Context Protocol. Addresses and commands are as seen from inside of the sandbox. */
export type McpServer =
  | { readonly name: string; readonly transport: "stdio"; readonly command: string; readonly args: readonly string[] }
  | {
      readonly name: string;
      readonly transport: "sse" | "streamable-http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Whether a tool is a server's: it is not there without it. */
export const isServerTool = (name: string): boolean => name.startsWith("mcp__");
