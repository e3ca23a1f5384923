// The last step of a build: makes a few files of the seven hundred that the compiler wrote, of which finding, reading and
// linking one by one is a quarter of a start. `nest build` alone leaves a program that works as well and starts later.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const DIST = join(import.meta.dirname, '../dist');
const ENTRIES = ['main', 'index', 'testing/index'];

/** Reads what the compiler wrote, with the way back to the TypeScript. */
const compiled = {
  name: 'compiled',
  load: (id) => {
    const code = readFileSync(id, 'utf8');
    // Modules find files beside the place that they were compiled to, wherever their code is now.
    const address = `new URL('./${relative(DIST, id)}', import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', address), map: readFileSync(`${id}.map`, 'utf8') };
  },
};

const bundle = await rolldown({
  cwd: DIST,
  input: Object.fromEntries(ENTRIES.map((name) => [name, `./${name}.js`])),
  platform: 'node',
  // A team's modules and Roost share one Nest, one TypeORM, one class-validator.
  external: /^[^./]/,
  treeshake: false,
  plugins: [compiled],
});
const { output } = await bundle.generate({
  dir: DIST,
  codeSplitting: {
    groups: [{ name: 'roost', test: /dist\/(index|run-roost)\.js$/, includeDependenciesRecursively: true }],
  },
  chunkFileNames: '[name].js',
  // Nest, errors and logs tell classes by their names, and two may have the same one.
  keepNames: true,
  sourcemap: true,
});

for (const file of readdirSync(DIST, { recursive: true })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(join(DIST, file));
}
for (const file of output) writeFileSync(join(DIST, file.fileName), file.code ?? file.source);
