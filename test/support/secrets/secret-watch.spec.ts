import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { postedSecrets } from './posted-secrets.js';
import { SecretFinder } from './secret-finder.js';
import { SecretWatch } from './secret-watch.js';

const SECRET = 'correct horse';
const SMALL = 2_000;

/** A watch over an application that stores these. */
function watchFor(stored: string[], mostKept?: number): SecretWatch {
  return new SecretWatch(() => Promise.resolve(stored), mostKept);
}

async function verdict(watch: SecretWatch): Promise<string> {
  await watch.learn();
  return watch.verdict().then(
    () => 'nothing',
    (error: Error) => error.message,
  );
}

/** Lets the reading that has begun come to its end. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the watch over secrets', () => {
  it('notices one that is stored after it was told', async () => {
    const stored: string[] = [];
    const watch = watchFor(stored);
    watch.tell('A', `It is ${SECRET}.`);
    stored.push(SECRET);
    expect(await verdict(watch)).toContain(`A secret was told by A: ${SECRET}`);
  });

  it('notices one that was stored only for a while, when so much was told meanwhile that it was read', async () => {
    const stored = [SECRET];
    const watch = watchFor(stored, SMALL);
    watch.tell('A', `It is ${SECRET}.`);
    watch.tell('B', 'x'.repeat(SMALL));
    await settled();
    stored.pop();
    expect(await verdict(watch)).toContain(`A secret was told by A: ${SECRET}`);
  });

  it('notices one that is told in pieces, wherever it is cut and whatever is read between them', async () => {
    for (let cut = 1; cut < SECRET.length; cut++) {
      const watch = watchFor([SECRET], SMALL);
      const tell = watch.source('A');
      tell(Buffer.from('x'.repeat(SMALL) + SECRET.slice(0, cut)));
      await settled();
      tell(Buffer.from(SECRET.slice(cut)));
      tell(Buffer.from('x'.repeat(SMALL)));
      await settled();
      expect(await verdict(watch)).toContain(`A secret was told by A: ${SECRET}`);
    }
  });

  it('tells apart who told it', async () => {
    const watch = watchFor([SECRET]);
    const tellers = ['A', 'B', 'C'].map((from) => watch.source(from));
    tellers[0]!(Buffer.from(SECRET.slice(0, 5)));
    tellers[1]!(Buffer.from(SECRET));
    tellers[2]!(Buffer.from(SECRET.slice(5)));
    const found = await verdict(watch);
    expect(found.match(/told by \w/g)).toEqual(['told by B']);
  });

  it('notices one that is escaped in JSON, in JSON in JSON and in a URL', async () => {
    const secret = 'schö"ner\\Tag 50%';
    for (const text of [
      JSON.stringify({ secret }),
      JSON.stringify(JSON.stringify(secret)),
      encodeURIComponent(secret),
    ]) {
      const watch = watchFor([secret]);
      watch.tell('A', text);
      expect(await verdict(watch)).toContain('A secret was told by A');
    }
  });

  it('takes no notice of short values, which stand in texts by chance', async () => {
    const watch = watchFor(['12345678']);
    watch.tell('A', '12345678');
    expect(await verdict(watch)).toBe('nothing');
  });
});

describe('the search for secrets', () => {
  it('finds one exactly when it stands there', () => {
    const letters = (minLength: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), minLength, maxLength: 12 });
    const property = fc.property(
      fc.array(letters(4), { maxLength: 5 }),
      letters(0),
      letters(0),
      (secrets, head, tail) => {
        const text = head + (secrets[0] ?? '') + tail;
        const found = new SecretFinder(secrets).find(Buffer.from(text));
        if (found === undefined) expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
        else expect(secrets.includes(found) && text.includes(found)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});

describe('the passwords in a body', () => {
  it.each([
    ['{"email":"a@x.io","password":"pass\\"word 1","more":{"oldPassword" : "p2"}}', ['pass"word 1', 'p2']],
    ['[{"body":{"passwordConfirm":"p1"}},{"clientSecret":"p2"}]', ['p1', 'p2']],
    ['identity=a%40x.io&password=p+1%21', ['p 1!']],
    ['--x\r\nContent-Disposition: form-data; name="newPassword"\r\n\r\np1\r\n--x--', ['p1']],
    ['--x\r\nContent-Disposition: form-data; name="password"\r\nContent-Type: text/plain\r\n\r\np1\r\n--x--', ['p1']],
    ['{"name":"password","type":"password","passwordAuth":{"enabled":true}}', []],
    ['{"password":"cut off', []],
  ])('are found in %s', (body, secrets) => {
    expect(postedSecrets(body)).toEqual(secrets);
  });
});
