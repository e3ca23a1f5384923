import { cpSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MAIN } from '../support/roost-process.js';

/** The name of the migration that a newer version has. */
export const LATER = 'Later1999999999999';

/** Additive: what an older version reads and writes is as it was. */
const MIGRATION = `export class ${LATER} {
  name = '${LATER}';
  async up(runner) {
    await runner.query('CREATE TABLE "_later" ("id" BIGINT PRIMARY KEY)');
    await runner.query('ALTER TABLE "_outbox" ADD COLUMN "later" TEXT');
    await runner.query('ALTER TABLE "_collections" ADD COLUMN "later" TEXT');
  }
  async down() {}
}
`;

/** What instances compare when they start, and one more thing of that kind. */
const COMPARED = /ROOST_ID_TOKEN_LEEWAY: String\(idTokenLeeway\)/;

/**
 * The built program as a later minor version would be: with one more system migration, and one more variable that has
 * to be equal everywhere. Its folder is the caller's to remove.
 */
export function newerBuild(): { readonly folder: string; readonly main: string } {
  const folder = mkdtempSync(join(tmpdir(), 'roost-newer-'));
  const project = dirname(dirname(MAIN));
  cpSync(join(project, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(realpathSync(join(project, 'node_modules')), join(folder, 'node_modules'));
  const described = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...described, version: '0.99.0' }));
  writeFileSync(join(folder, 'dist', 'migrations', '1999999999999-later.js'), MIGRATION);
  const program = join(folder, 'dist', 'roost.js');
  const text = readFileSync(program, 'utf8');
  if (!COMPARED.test(text)) throw new Error('What instances compare is not where it was looked for.');
  writeFileSync(
    program,
    text.replace(COMPARED, (found) => `${found}, ROOST_LATER: 'something'`),
  );
  return { folder, main: join(folder, 'dist', 'main') };
}
