// An Obsidian plugin that asks a running `vaulttools --vault DIR mcp --http :8765 --structured full` while you type.
// Build it with esbuild as Obsidian's sample plugin does; Obsidian's origin is let in by the server as it is.

import { App, Notice, Plugin, SuggestModal } from "obsidian";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const SERVER = "http://127.0.0.1:8765/mcp";
const TOKEN = ""; // what VAULTTOOLS_TOKEN says where the server was started, if anything

interface Excerpt { start_line: number; lines: string[]; matching_lines: number[]; heading: string[] }
interface FileMatch { path: string; match_count: number; excerpts: Excerpt[] }
interface Found { files: FileMatch[]; total_files: number; complete: boolean; notices: string[] }

export default class VaulttoolsPlugin extends Plugin {
  private client: Client | null = null;

  async onload(): Promise<void> {
    this.addCommand({
      id: "search",
      name: "Search the vault",
      callback: () => new SearchModal(this.app, this).open(),
    });
  }

  onunload(): void {
    void this.client?.close();
  }

  /** The client, connected at the first use and again after the server was away. */
  private async connected(): Promise<Client> {
    if (this.client === null) {
      const client = new Client({ name: "obsidian", version: this.manifest.version });
      client.onclose = () => { this.client = null; };
      const headers: Record<string, string> = TOKEN ? { Authorization: `Bearer ${TOKEN}` } : {};
      await client.connect(new StreamableHTTPClientTransport(new URL(SERVER), { requestInit: { headers } }));
      this.client = client;
    }
    return this.client;
  }

  /** The notes that hold the words. A newer search aborts the one before, and with it its ripgrep. */
  async search(words: string, signal: AbortSignal): Promise<Found> {
    const client = await this.connected();
    const request = {
      name: "search_files",
      arguments: { pattern: words, fixed: true, case_sensitive: false, context_lines: 0 },
    };
    const result = await client.callTool(request, undefined, { signal });
    if (result.isError) throw new Error((result.content as { text: string }[])[0]?.text);
    return result.structuredContent as unknown as Found;
  }
}

class SearchModal extends SuggestModal<FileMatch> {
  private running = new AbortController();

  constructor(app: App, private readonly plugin: VaulttoolsPlugin) {
    super(app);
    this.setPlaceholder("Words in a note");
  }

  async getSuggestions(words: string): Promise<FileMatch[]> {
    this.running.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    if (!words.trim()) return [];
    try {
      return (await this.plugin.search(words, signal)).files;
    } catch (error) {
      if (!signal.aborted) new Notice(`vaulttools: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  }

  renderSuggestion(file: FileMatch, element: HTMLElement): void {
    element.createEl("div", { text: `${file.path} (${file.match_count})` });
    element.createEl("small", { text: file.excerpts[0]?.lines[0] ?? "" });
  }

  async onChooseSuggestion(file: FileMatch): Promise<void> {
    const line = (file.excerpts[0]?.matching_lines[0] ?? 1) - 1; // Obsidian counts from 0
    await this.app.workspace.openLinkText(file.path, "", false, { eState: { line } });
  }
}
