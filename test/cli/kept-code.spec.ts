import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MAIN } from '../support/roost-process.js';

/** Runs a command, and tells of each part of the program whether V8 has refused what was compiled when it was built. */
const PROGRAM = `
  process.argv = [process.execPath, ${JSON.stringify(MAIN)}, '--help'];
  process.stdout.write = () => true;
  await import(${JSON.stringify(`${MAIN}.js`)});
  const { scripts } = await import(${JSON.stringify(MAIN.replace(/main$/, 'load-program.js'))});
  console.error(JSON.stringify([...scripts.values()].map((script) => script.cachedDataRejected)));
`;

it('the program runs the code that was compiled when it was built', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
  const refused = JSON.parse(stderr) as boolean[];
  expect(refused.length).toBeGreaterThan(5);
  expect(refused.every((each) => each === false)).toBe(true);
});
