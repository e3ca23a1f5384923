import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProcessConsole } from '../../src/logs/process-console.js';

const EVIL = '\u001b[31mEve\u0007\u009b2J\u202e';
const SHOWN = String.raw`\u001b[31mEve\u0007\u009b2J\u202e`;

describe('what the process prints', () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        printed += String(text);
        return true;
      });
    }
  });
  afterEach(() => void vi.restoreAllMocks());
  const plain = () => new ProcessConsole({ dev: false, colors: false });

  it.each<[string, unknown]>([
    ['a message', `refused ${EVIL}`],
    ['an error', new Error(`refused ${EVIL}`)],
    ['an object', { name: EVIL }],
    ['a list', [EVIL]],
  ])('OPS-88 has no control characters of a request in %s', (_what, message) => {
    plain().error(message, `Error: ${EVIL}\n    at here`, 'Records');
    vi.restoreAllMocks();
    expect(printed).toContain('Eve');
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(printed).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    if (typeof message === 'string') expect(printed).toContain(`refused ${SHOWN}`);
    expect(printed).toContain(`Error: ${SHOWN}\n    at here`);
  });

  it('OPS-88 has no line of its own that a request wrote', () => {
    plain().warn('refused one\n[Roost] 1  - all is well');
    vi.restoreAllMocks();
    expect(printed).toContain('refused one\n  [Roost] 1  - all is well');
  });
});
