import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRIES = [`${ROOT}src/index.ts`, `${ROOT}src/testing/index.ts`];

/** Lifecycle methods of Nest: their names say it all, and nobody but Nest calls them. */
const LIFECYCLE = /^on(Module|Application)|^beforeApplicationShutdown$/;

describe('what a team imports', () => {
  let checker: ts.TypeChecker;
  let exported: readonly ts.Symbol[];
  beforeAll(() => {
    const config = ts.readConfigFile(`${ROOT}test/tsconfig.json`, (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, `${ROOT}test`);
    const program = ts.createProgram(ENTRIES, options);
    checker = program.getTypeChecker();
    exported = ENTRIES.flatMap((path) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(path)!)!;
      return checker.getExportsOfModule(module).map((symbol) => target(symbol));
    });
  }, 240_000);

  const target = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const docOf = (symbol: ts.Symbol): string => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();

  /** Methods and getters of a class or an interface that others may call or have to write. */
  const methodsOf = (symbol: ts.Symbol): ts.Symbol[] => {
    if (!(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) return [];
    const members = [...(symbol.members?.values() ?? []), ...(symbol.exports?.values() ?? [])];
    return members.filter(({ flags, name, declarations }) => {
      const isCallable = (flags & (ts.SymbolFlags.Method | ts.SymbolFlags.GetAccessor)) !== 0;
      const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
      const isHidden = declarations?.some((each) => (ts.getCombinedModifierFlags(each) & hidden) !== 0);
      return isCallable && !isHidden && !LIFECYCLE.test(name) && !name.startsWith('#');
    });
  };

  it('says what it promises, every export of both entry points', () => {
    expect(exported.length).toBeGreaterThan(150);
    expect(exported.filter((symbol) => docOf(symbol) === '').map(({ name }) => name)).toEqual([]);
  });

  it('says what its methods promise, every class and interface', () => {
    const silent = exported.flatMap((symbol) =>
      methodsOf(symbol)
        .filter((method) => docOf(method) === '')
        .map((method) => `${symbol.name}.${method.name}`),
    );
    expect(silent).toEqual([]);
    expect(exported.flatMap(methodsOf).length).toBeGreaterThan(150);
  });

  it('says it in one to six sentences, without tags that repeat a signature', () => {
    const tagged = exported.filter((symbol) =>
      symbol.getJsDocTags(checker).some(({ name }) => /^(param|returns?)$/.test(name)),
    );
    expect(tagged.map(({ name }) => name)).toEqual([]);
    const long = exported.filter((symbol) => docOf(symbol).split(/[.!?](?:\s|$)/).length > 8);
    expect(long.map(({ name }) => name)).toEqual([]);
  });
});
