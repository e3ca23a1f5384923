import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CollectionStore } from '../collections/collection-store.js';
import { VisibleFields } from '../collections/visible-fields.js';
import { makeDirectory } from '../database/make-directory.js';
import { declareCollections } from '../kernel/collections/declare-collections.js';
import { Command, CommandRunner, Option } from './commands.js';
import { Terminal } from './terminal.js';

@Command({ name: 'types', description: 'Writes TypeScript declarations of all collections.' })
export class TypesCommand extends CommandRunner {
  constructor(
    private readonly store: CollectionStore,
    private readonly visibleFields: VisibleFields,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(_args: string[], { out }: { out?: string }): Promise<void> {
    const text = declareCollections(this.store.catalog, (collection) => this.visibleFields.of(collection));
    if (out === undefined) {
      this.terminal.say(text.trimEnd());
      return;
    }
    await makeDirectory(dirname(resolve(out)));
    await writeFile(out, text);
    this.terminal.say(`Wrote ${out}.`);
    const source = sourceBeside(out);
    if (source !== undefined) this.terminal.warn(`TypeScript looks at ${source} instead: give --out another name.`);
  }

  @Option({ flags: '--out <file>', description: 'file to write; stdout when left out' })
  out(file: string): string {
    return file;
  }
}

/** The source file because of which an import of these declarations would not find them. */
function sourceBeside(declarations: string): string | undefined {
  const [, path, kind] = /^(.*)\.d(\.[cm]?ts)$/s.exec(declarations) ?? [];
  if (path === undefined) return undefined;
  const sources = kind === '.ts' ? [`${path}.ts`, `${path}.tsx`] : [`${path}${kind}`];
  return sources.find((source) => existsSync(source));
}
