// An Obsidian plugin, for the desktop, that runs the command line with --json: no server, nothing to keep running.

import { execFile } from "node:child_process";
import { App, FileSystemAdapter, FuzzySuggestModal, Notice, Plugin } from "obsidian";

const PROGRAM = "vaulttools"; // or its full path: Obsidian knows less of PATH than a terminal does

interface Link { source: string; target: string; line: number; text: string; resolved: boolean }
interface Links { links: Link[]; orphans: string[]; total: number; complete: boolean; notices: string[] }

/** What a command prints with --json. Exit status 1 means that nothing was found, 2 that something is wrong. */
function vaulttools<Details>(folder: string, ...words: string[]): Promise<Details> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 64 * 1024 * 1024, timeout: 60_000, windowsHide: true };
    execFile(PROGRAM, ["--vault", folder, "--json", ...words], options, (error, out) => {
      let details: (Details & { error?: string }) | null = null;
      try {
        details = JSON.parse(out) as Details & { error?: string };
      } catch {
        // it did not start, or was stopped
      }
      if (details === null) reject(error ?? new Error(`${PROGRAM} printed nothing`));
      else if (details.error !== undefined) reject(new Error(details.error));
      else resolve(details);
    });
  });
}

export default class BrokenLinksPlugin extends Plugin {
  async onload(): Promise<void> {
    this.addCommand({ id: "broken-links", name: "Go to a link that leads nowhere", callback: () => void this.show() });
  }

  private async show(): Promise<void> {
    const { adapter } = this.app.vault;
    if (!(adapter instanceof FileSystemAdapter)) return; // a phone has no command line
    try {
      const words = ["links", "--direction", "unresolved", "--limit", "1000"];
      const found = await vaulttools<Links>(adapter.getBasePath(), ...words);
      if (found.links.length === 0) new Notice(found.complete ? "Every link leads to a file." : found.notices.join("\n"));
      else new LinkModal(this.app, found.links).open();
    } catch (error) {
      new Notice(`vaulttools: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

class LinkModal extends FuzzySuggestModal<Link> {
  constructor(app: App, private readonly links: Link[]) {
    super(app);
  }

  getItems(): Link[] {
    return this.links;
  }

  getItemText(link: Link): string {
    return `${link.target} — ${link.source}:${link.line}`;
  }

  async onChooseItem(link: Link): Promise<void> {
    // Lines count from 1 here, from 0 in Obsidian.
    await this.app.workspace.openLinkText(link.source, "", false, { eState: { line: link.line - 1 } });
  }
}
