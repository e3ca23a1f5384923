import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A path in the project for a program that is only in memory, so that it finds what the tests find. */
export function inProject(path: string): string {
  return `${ROOT}${path}`;
}

/** What the compiler has to say about these programs, with the options of the tests. Texts by their paths. */
export function compile(files: ReadonlyMap<string, string>): string[] {
  const config = ts.readConfigFile(inProject('test/tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, inProject('test'));
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
