// Hooks for Node's loader, which runs them in a thread of their own: TypeScript files become JavaScript.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

let ts;

export async function initialize({ compiler }) {
  ts = (await import(compiler)).default;
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { outputText } = ts.transpileModule(await readFile(fileURLToPath(url), 'utf8'), {
    fileName: url,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      inlineSourceMap: true,
    },
  });
  return { format: 'module', source: outputText, shortCircuit: true };
}
