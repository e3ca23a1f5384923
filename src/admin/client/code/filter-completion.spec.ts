import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import type { CollectionModel } from '../api/collection-model.js';
import { collectionAt, filterCompletion } from './filter-completion.js';
import { endsInLiteral } from './in-literal.js';

const fields = (all: Record<string, object>) =>
  Object.entries(all).map(([name, field]) => ({ id: name, name, type: 'text', ...field }));
const posts = {
  id: 'p',
  name: 'posts',
  type: 'base',
  fields: fields({
    title: {},
    tags: { type: 'select' },
    place: { type: 'geoPoint' },
    author: { type: 'relation', collectionId: 'm' },
  }),
};
const members = {
  id: 'm',
  name: 'members',
  type: 'auth',
  fields: fields({
    email: {},
    password: { type: 'password' },
    tokenKey: {},
    team: { type: 'relation', collectionId: 't' },
  }),
};
const teams = { id: 't', name: 'teams', type: 'base', fields: fields({ city: {} }) };
const collections = [posts, members, teams] as unknown as CollectionModel[];
const scope = { collections, collection: collections[0]! };

/** What is offered at the end of a text. */
function offered(text: string, explicit = false): string[] {
  const state = EditorState.create({ doc: text });
  const result = filterCompletion(scope)(new CompletionContext(state, text.length, explicit));
  return result && 'options' in result ? result.options.map(({ label }) => label) : [];
}

describe('completion of filters', () => {
  it.each([
    ['ti', 'title', 'nothing'],
    ['pl', 'place.lon', 'lon'],
    ['author.', 'author.email', 'author.password'],
    ['author.', 'author.team', 'author.tokenKey'],
    ['author.team.', 'author.team.city', 'author.team.email'],
    ['author.', 'author.posts_via_author', 'posts_via_author'],
    ['@request.', '@request.auth.', '@request.title'],
    ['@request.auth.', '@request.auth.collectionName', '@request.auth.title'],
    ['@request.auth.team.', '@request.auth.team.city', '@request.auth.team.email'],
    ['@request.body.', '@request.body.title', '@request.body.email'],
    ['@collection.', '@collection.teams.', 'teams'],
    ['@collection.teams.', '@collection.teams.city', 'city'],
    ['@collection.teams:x.', '@collection.teams:x.city', '@collection.teams:x.title'],
    ['tags:', 'tags:each', 'tags:isset'],
    ['title:', 'title:lower', 'title:length'],
    ['@request.body.tags:', '@request.body.tags:changed', '@request.body.tags:x'],
    ['@request.query.q:', '@request.query.q:isset', '@request.query.q:each'],
    ['@request.context = ', "'batch'", 'batch'],
    ['title = "it\'s" && ti', 'title', 'nothing'],
  ])('UI-18 UI-44 offers after %s: %s, and not %s', (text, label, other) => {
    const labels = offered(text);
    expect(labels).toContain(label);
    expect(labels).not.toContain(other);
  });

  it.each(['title = "ti', "title = 'it\\'s ti", 'title.'])('UI-18 offers nothing within %s', (text) => {
    expect(offered(text)).toEqual([]);
  });

  it('UI-18 offers names without a letter only when it is asked', () => {
    expect(offered('')).toEqual([]);
    expect(offered('', true)).toContain('title');
  });

  it.each([
    ['', false],
    ['a = "b"', false],
    ['a = "b', true],
    ['a = "it\'s', true],
    ['a = "it\'s"', false],
    [`a = 'say "x`, true],
    ['a = "\\"', true],
    ['a = "\\\\"', false],
    ['a = \\', false],
  ])('ends %s within a literal: %s', (text, expected) => {
    expect(endsInLiteral(text)).toBe(expected);
  });

  it('walks relations, forwards and back', () => {
    const at = (path: string) => collectionAt(scope, scope.collection, path.split('.'))?.name;
    expect(['author', 'author.team', 'author.posts_via_author', 'title', 'x.y'].map(at)).toEqual([
      'members',
      'teams',
      'posts',
      undefined,
      undefined,
    ]);
  });
});
