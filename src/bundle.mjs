// The last step of a build: makes a few files of the seven hundred that the compiler wrote, of which finding, reading and
// linking one by one is a quarter of a start. `nest build` alone leaves a program that works as well and starts later.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const DIST = join(import.meta.dirname, '../dist');
const ENTRIES = ['main', 'index', 'testing/index'];

/**
 * Compiled in. nest-commander insists on a version of this part of it that asks for an older Nest than ours, so that
 * whoever installed the two would have to settle it by `overrides` of their own (EXT-52).
 */
const INSIDE = ['nest-commander', '@golevelup/nestjs-discovery'];
const isInside = (id) => INSIDE.some((name) => id === name || id.startsWith(`${name}/`));

/** Loads the compiled code with its source map. */
const compiled = {
  name: 'compiled',
  load: (id) => {
    if (id.includes('/node_modules/') || id.includes('\0')) return undefined;
    const code = readFileSync(id, 'utf8');
    // Modules find files beside the place that they were compiled to, wherever their code is now.
    const address = `new URL('./${relative(DIST, id)}', import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', address), map: readFileSync(`${id}.map`, 'utf8') };
  },
};

/**
 * What nest-commander loads with its index, 370 files, of which a start needs none: the package, and the one function of it
 * that is called. Nothing calls that of cosmiconfig, since commands are not plugins that a file names.
 */
const LATE = { inquirer: 'prompt', cosmiconfig: 'cosmiconfig' };

/** Replaces such a package by a stub that loads it when the function is called. */
const late = {
  name: 'late',
  resolveId: (id) => (id in LATE ? `\0${id}` : undefined),
  load: (id) => {
    const name = id.slice(1);
    return name in LATE
      ? `exports.${LATE[name]} = (...given) => require('${name}').${LATE[name]}(...given);`
      : undefined;
  },
};

/** A team's modules and Roost share one Nest, one TypeORM, one class-validator. */
const isOutside = (id, importer = '') =>
  /^[^./\0]/.test(id) && !isInside(id) && (!(id in LATE) || importer.startsWith('\0'));

const bundle = await rolldown({
  cwd: DIST,
  input: Object.fromEntries(ENTRIES.map((name) => [name, `./${name}.js`])),
  platform: 'node',
  external: isOutside,
  treeshake: false,
  plugins: [late, compiled],
});
const { output } = await bundle.generate({
  dir: DIST,
  codeSplitting: {
    groups: [
      // The parent of workers only passes messages on and needs nothing else.
      { name: 'parent', test: /dist\/supervise\.js$/, includeDependenciesRecursively: true, priority: 2 },
      { name: 'roost', test: /dist\/(index|run-roost)\.js$/, includeDependenciesRecursively: true },
    ],
  },
  chunkFileNames: '[name].js',
  // Nest, errors and logs identify classes by name, and minified names could be equal.
  keepNames: true,
  // Comments would be kept in memory with the code.
  comments: { legal: false, annotation: false, jsdoc: false },
  sourcemap: true,
});

for (const file of readdirSync(DIST, { recursive: true })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(join(DIST, file));
}
for (const file of output) writeFileSync(join(DIST, file.fileName), file.code ? inLatin1(file.code) : file.source);
writeFileSync(join(DIST, 'licenses.txt'), INSIDE.map(licence).join('\n'));

/** V8 stores a file with one non-Latin character in two bytes per character. */
function inLatin1(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The licence of a compiled-in package, which must be distributed with it. */
function licence(name) {
  return `${name}\n\n${readFileSync(join(import.meta.dirname, '../node_modules', name, 'LICENSE'), 'utf8')}`;
}
