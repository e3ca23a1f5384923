import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { StartError } from '../config/start.error.js';

let isPrepared = false;

/**
 * Makes it possible to import a TypeScript file. Node.js since 22.18 does that itself; before, the compiler that is
 * installed where the file is turns it into JavaScript. Throws a StartError when there is neither.
 */
export function prepareForTypeScript(file: string): void {
  if (isPrepared) return;
  if ((process.features as { readonly typescript?: string | false }).typescript) return;
  const compiler = findCompiler(file);
  if (compiler === undefined) {
    throw new StartError(
      `Node.js ${process.versions.node} does not run TypeScript, and no compiler is installed beside it. Compile it ` +
        'to JavaScript (npx tsc), install the package typescript, or use Node.js 22.18 or newer.',
    );
  }
  register(new URL('typescript-hooks.mjs', import.meta.url), { data: { compiler: pathToFileURL(compiler).href } });
  isPrepared = true;
}

function findCompiler(file: string): string | undefined {
  try {
    return createRequire(file).resolve('typescript');
  } catch {
    return undefined;
  }
}
