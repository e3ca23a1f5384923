import { BadRequestError, type Collection, createHook, HookRegistry } from 'roost';
import { beforeEach, describe, expect, it } from 'vitest';

const Ring = createHook<{ heard: string[] }>('Ring');
const Other = createHook<{ heard: string[] }>('Other');
const POSTS = { id: 'pbc_posts', name: 'posts' } as Collection;
const PAGES = { id: 'pbc_pages', name: 'pages' } as Collection;

let hooks: HookRegistry;

function add(label: string, collections: readonly string[], order = 0): void {
  const run = ({ heard }: { heard: string[] }) => heard.push(label);
  hooks.add(Ring as never, { run: run as never, collections, order, label });
}

async function ring(target?: Collection): Promise<string[]> {
  const event = { heard: [] };
  await hooks.run(Ring, event, target);
  return event.heard;
}

beforeEach(() => {
  hooks = new HookRegistry();
});

describe('hooks by collection', () => {
  it('EXT-31 run for the collections they name, by name or id, and for all when they name none', async () => {
    add('all', []);
    add('by name', ['posts']);
    add('by id', ['pbc_posts']);
    add('both', ['posts', 'pbc_posts']);
    add('two', ['pages', 'posts']);
    expect(await ring(POSTS)).toEqual(['all', 'by name', 'by id', 'both', 'two']);
    expect(await ring(PAGES)).toEqual(['all', 'two']);
    expect(await ring()).toEqual(['all']);
    expect(hooks.has(Other, POSTS)).toBe(false);
  });

  it('EXT-32 run by order, and in the order of their modules among equals', async () => {
    add('a', ['posts'], 5);
    add('b', []);
    expect(await ring(POSTS)).toEqual(['b', 'a']);
    add('c', ['pbc_posts'], -1);
    add('d', []);
    expect(await ring(POSTS)).toEqual(['c', 'b', 'd', 'a']);
  });

  it('EXT-32 refuse and are logged whatever they throw, also what cannot be made a text', async () => {
    add('first', []);
    const run = () => Promise.reject(Object.create(null));
    hooks.add(Ring as never, { run, collections: [], order: -1, label: 'thrower' });
    await expect(ring()).rejects.toBeInstanceOf(BadRequestError);
    const event = { heard: [] };
    await hooks.runAfter(Ring, event);
    expect(event.heard).toEqual(['first']);
  });

  it('EXT-34 a hook on one collection is never looked at for another', async () => {
    const looked: string[] = [];
    const collections = new Proxy(['posts'], {
      get: (names, key) => (looked.push(String(key)), Reflect.get(names, key)),
    });
    hooks.add(Ring as never, { run: () => undefined, collections, order: 0, label: 'posts' });
    await ring(POSTS);
    looked.length = 0;
    expect(await ring(PAGES)).toEqual([]);
    expect(hooks.has(Ring, PAGES)).toBe(false);
    expect(looked).toEqual([]);
  });
});
