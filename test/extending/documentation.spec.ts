import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(`${ROOT}docs/extending.md`, 'utf8');

/** Every snippet under the name of a file of its own, so that errors say where they are. */
function snippets(): Map<string, string> {
  const found = [...TEXT.matchAll(/^```ts\n(.*?)^```$/gms)];
  return new Map(
    found.map((match) => {
      const line = TEXT.slice(0, match.index).split('\n').length + 1;
      return [`${ROOT}test/extending/extending-md-line-${line}.ts`, match[1]!];
    }),
  );
}

function compile(files: ReadonlyMap<string, string>): string[] {
  const config = ts.readConfigFile(`${ROOT}test/tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, `${ROOT}test`);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  const program = ts.createProgram([...files.keys()], options, host);
  const sources = [...files.keys()].map((path) => program.getSourceFile(path)!);
  const diagnostics = sources.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ]);
  return diagnostics.map(({ file, start, messageText }) => {
    const { line } = file!.getLineAndCharacterOfPosition(start!);
    return `${file!.fileName} +${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

describe('docs/extending.md', () => {
  it('EXT-1 shows code that compiles and imports nothing private', { timeout: 240_000 }, () => {
    const files = snippets();
    expect(files.size).toBeGreaterThan(12);
    expect(compile(files)).toEqual([]);
    const imported = [...files.values()].flatMap((code) =>
      [...code.matchAll(/from '([^']+)'/g)].map(([, name]) => name),
    );
    expect(imported.filter((name) => name!.startsWith('.') || name!.startsWith('roost/src'))).toEqual([]);
  });

  it('EXT-1 links only to sections it has', () => {
    const anchors = [...TEXT.matchAll(/^## (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...TEXT.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
    expect(links).toEqual(anchors);
  });
});
