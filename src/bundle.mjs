// The last step of a build: makes a few files of the seven hundred that the compiler wrote, because to find, read and
// link them one by one is a quarter of a start. After `nest build` alone the program works too, and starts later.
//
// There are two bundles. `roost.js` is the package for teams: it shares Nest, TypeORM and so on with their modules, and
// imports them. The program of its own, `main.js`, has nobody to share them with, so that what it loads at a start lies
// in `program/`, libraries and all: four files instead of a thousand, which takes a third less time. What V8 compiles of
// them at a start is kept beside them (`keep-compiled.mjs`), which saves a third of the rest.
import { readdirSync, readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

/** The folder of the chunks of `main.js`. */
const PROGRAM = 'program';

/**
 * Compiled in for teams, too. nest-commander insists on a version of this part of it that asks for an older Nest than
 * ours, so that whoever installed the two would have to settle it by `overrides` of their own (EXT-52).
 */
const INSIDE = ['nest-commander', '@golevelup/nestjs-discovery'];

/**
 * Never compiled in: native code, what only PostgreSQL needs, what asks where its own file is, what nest-commander loads
 * to write completions for a shell, which no command does, and what Fastify loads for schemas, its own log and trial
 * requests, which the program has none of.
 */
const OUTSIDE = new Set([
  'better-sqlite3',
  'better-sqlite3-13',
  'sqlite3',
  'bcrypt',
  'sharp',
  'pg',
  'app-root-path',
  '@fig/complete-commander',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'pino',
  'light-my-request',
]);

/**
 * What nest-commander loads with its index, 370 files, of which a start needs none: the package, and the one function
 * of it that is called. Nothing calls that of cosmiconfig, since commands are not plugins that a file names.
 */
const LATE = { inquirer: 'prompt', cosmiconfig: 'cosmiconfig' };

/** Replaces such a package by a stub that loads it when the function is called. */
const late = {
  name: 'late',
  resolveId: (id, importer) => {
    if (!(id in LATE)) return undefined;
    return importer?.startsWith('\0') ? { id, external: true } : `\0${id}`;
  },
  load: (id) => {
    const name = id.slice(1);
    return name in LATE
      ? `exports.${LATE[name]} = (...given) => require('${name}').${LATE[name]}(...given);`
      : undefined;
  },
};

/** Loaded when needed like what stays outside, but with the Nest that is inside. */
const WITH_NEST = new Set(['@nestjs/swagger']);

/**
 * The file with what the program uses of class-validator, loaded with the first body that is checked. The whole library
 * takes 140 ms to load, in which everybody waits; this takes 5.
 */
const VALIDATOR = 'class-validator.cjs';

/** Stands for packages that nobody can be asking for. */
const ABSENT = '\0absent';

/** Stands for TypeORM's drivers of other databases, half of its text, which is kept in memory. */
const NO_DRIVER = '\0no-driver';
const DRIVERS = /^\.\/(?:better-sqlite3|sqlite|postgres)\//;

/** Asks for that file, not for the library. */
function withValidator(code) {
  const asked = "require('class-validator')";
  if (!code.includes(asked)) throw new Error(`Nothing says ${asked} any more.`);
  return code.replace(asked, `require('../../${PROGRAM}/${VALIDATOR}')`);
}

/** Reads what the compiler wrote, with the way back to the TypeScript. `folder` is where the code is going to be. */
const compiled = (folder) => ({
  name: 'compiled',
  load: (id) => {
    if (id.startsWith('\0') || id.includes('/node_modules/')) return undefined;
    const isChecking = folder === PROGRAM && id === join(DIST, 'http/dto/class-validator.js');
    const code = isChecking ? withValidator(readFileSync(id, 'utf8')) : readFileSync(id, 'utf8');
    // Modules find files beside the place that they were compiled to, wherever their code is now.
    const place = relative(join(DIST, folder), id).split(sep).join('/');
    const address = `new URL('${place.startsWith('.') ? place : `./${place}`}', import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', address), map: readFileSync(`${id}.map`, 'utf8') };
  },
});

/** Has `main.js` load the program with what V8 has compiled of it. */
const kept = {
  name: 'kept',
  load: (id) => {
    if (id !== join(DIST, 'main.js')) return undefined;
    const code = readFileSync(id, 'utf8').replaceAll(/\bimport\('\.\/([\w-]+)\.js'\)/g, "load('$1.cjs')");
    return `${code}\nimport { load } from './load-program.js';`;
  },
};

/** Decides which packages the program of its own contains: what those that are inside cannot do without. */
const libraries = {
  name: 'libraries',
  resolveId: (id, importer, { kind }) => {
    if (importer?.endsWith('typeorm/driver/DriverFactory.js') && /^\.\/[^/]+\//.test(id) && !DRIVERS.test(id)) {
      return { id: NO_DRIVER };
    }
    if (!importer || /^[./#\0]/.test(id)) return undefined;
    if (isBuiltin(id)) return { id, external: true };
    const name = packageName(id);
    if (WITH_NEST.has(name) || INSIDE.includes(name)) return undefined;
    if (OUTSIDE.has(name)) return { id, external: true };
    const { isOurs, required, isNest } = manifestOf(importer);
    if (kind !== 'dynamic-import' && required.has(name)) return undefined;
    // Nest looks for its parts that teams may add; they would bring a second Nest along.
    if (isNest && name.startsWith('@nestjs/')) return { id: ABSENT };
    if (kind !== 'dynamic-import' && isOurs)
      throw new Error(`${relative(ROOT, importer)} imports ${name}, undeclared.`);
    return { id, external: true };
  },
  load: (id) => {
    if (id === NO_DRIVER) return 'module.exports = {};';
    if (id === ABSENT) return 'throw new Error("Not part of this program.");';
    if (!id.endsWith('@nestjs/typeorm/dist/common/typeorm-compat.js')) return undefined;
    // It asks Node for TypeORM in a way that leads past the bundle, to a second one.
    const [asked, code] = ["require('typeorm')", readFileSync(id, 'utf8')];
    if (!code.includes(asked)) throw new Error(`${id} no longer says ${asked}.`);
    return `import * as bundledTypeorm from 'typeorm';\n${code.replace(asked, 'bundledTypeorm')}`;
  },
};

/** Filled when it is first asked. */
const loadedAtStart = new Set();

const isInside = (id) => INSIDE.some((name) => id === name || id.startsWith(`${name}/`));

const forTeams = await generate('', {
  input: { index: './index.js', 'testing/index': './testing/index.js' },
  // A team's modules and Roost share one Nest, one TypeORM, one class-validator.
  external: (id) => /^[^./\0]/.test(id) && !isInside(id) && !(id in LATE),
  plugins: [late, compiled('')],
  groups: [{ name: 'roost', test: /dist\/(index|run-roost|supervise)\.js$/, includeDependenciesRecursively: true }],
});
const program = await generate(`${PROGRAM}/`, {
  // What `main.js` asks for.
  input: { supervise: './supervise.js', 'run-roost': './run-roost.js' },
  format: 'cjs',
  plugins: [late, libraries, compiled(PROGRAM)],
  groups: [
    // A parent of workers carries messages, and has no use for the rest.
    { name: 'parent', test: /dist\/supervise\.js$/, includeDependenciesRecursively: true, priority: 3 },
    // V8 reads a file as a whole; what it needs for that of one that is twice as large never comes back.
    { name: 'typeorm', test: /node_modules\/typeorm\//, priority: 2 },
    {
      name: (id, context) => (id === ABSENT || isLoadedAtStart(id, context) ? 'libraries' : 'openapi'),
      debugName: 'libraries',
      test: /node_modules|^\0absent$/,
      priority: 1,
    },
    { name: 'roost', test: /dist\/run-roost\.js$/, includeDependenciesRecursively: true },
  ],
});
const main = await generate('', { input: './main.js', external: './load-program.js', plugins: [kept] });
const loader = await generate('', { input: './load-program.js', plugins: [compiled('')] });
const partsOfValidator = await generateValidator();

for (const file of readdirSync(DIST, { recursive: true })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(join(DIST, file));
}
mkdirSync(join(DIST, PROGRAM), { recursive: true });
const files = [...forTeams, ...program, ...main, ...loader, partsOfValidator];
for (const file of files) {
  writeFileSync(
    join(DIST, file.fileName),
    file.code ? inLatin1(program.includes(file) ? asFunction(file.code) : file.code) : file.source,
  );
}
const contained = new Set(files.flatMap(({ modules = {} }) => Object.keys(modules)).map(packageFolder));
contained.delete(undefined);
writeFileSync(join(DIST, 'licenses.txt'), [...contained].sort().map(licence).join('\n'));

async function generate(folder, { groups, format = 'es', ...terms }) {
  const fileNames = `${folder}[name].${format === 'cjs' ? 'cjs' : 'js'}`;
  const bundle = await rolldown({ cwd: DIST, platform: 'node', treeshake: false, ...terms });
  const { output } = await bundle.generate({
    dir: DIST,
    format,
    codeSplitting: groups ? { groups } : false,
    entryFileNames: fileNames,
    chunkFileNames: fileNames,
    // Nest, errors and logs tell classes by their names, and two may have the same one.
    keepNames: true,
    // They would be kept in memory with the code.
    comments: { legal: false, annotation: false, jsdoc: false },
    sourcemap: true,
  });
  return output;
}

/**
 * A file of the program as the function that `load-program.ts` calls: with what Node gives to a module, and with its own
 * `import`, because V8 knows no other in code that was kept. To put it around the text at a start would make a second one.
 */
function asFunction(code) {
  const letters = code.split('');
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.type === 'ImportExpression') letters[node.start] = 'I';
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code));
  return `(function (exports, require, module, __filename, __dirname, Import) {${letters.join('')}\n})`;
}

async function generateValidator() {
  const bundle = await rolldown({
    cwd: DIST,
    input: './http/dto/class-validator-parts.js',
    platform: 'node',
    // Of its ES modules, because what nobody uses of CommonJS cannot be told.
    resolve: { alias: { 'class-validator': join(ROOT, 'node_modules/class-validator/esm2015/index.js') } },
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    entryFileNames: `${PROGRAM}/${VALIDATOR}`,
    keepNames: true,
  });
  return output[0];
}

/** Whether a file is needed for a start, and not only for what somebody asks for later. */
function isLoadedAtStart(id, context) {
  if (loadedAtStart.size === 0) {
    for (const each of ['supervise.js', 'run-roost.js']) loadedAtStart.add(join(DIST, each));
    // A set that grows while it is walked through is walked to its end.
    for (const each of loadedAtStart) {
      for (const next of context.getModuleInfo(each)?.importedIds ?? []) loadedAtStart.add(next);
    }
  }
  return loadedAtStart.has(id);
}

/** V8 stores a file with one non-Latin character in two bytes per character. */
function inLatin1(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function packageName(id) {
  return /^(@[^/]+\/)?[^/]+/.exec(id)[0];
}

/** The folder of the package that a file belongs to; none for our own. */
function packageFolder(file) {
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** What the package of a file cannot do without. */
function manifestOf(file) {
  const folder = packageFolder(file);
  const manifest = JSON.parse(readFileSync(join(folder ?? ROOT, 'package.json'), 'utf8'));
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return {
    isOurs: folder === undefined,
    isNest: manifest.name.startsWith('@nestjs/'),
    required: new Set([manifest.name, ...Object.keys(dependencies), ...peers]),
  };
}

/** What has to be handed on with the code of a package. */
function licence(folder) {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name}\n\n${file ? readFileSync(join(folder, file), 'utf8') : `License: ${license}\n`}`;
}
