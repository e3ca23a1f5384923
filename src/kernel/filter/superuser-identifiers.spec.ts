import { describe, expect, it } from 'vitest';
import { hasSuperuserIdentifier } from './superuser-identifiers.js';

describe('hasSuperuserIdentifier', () => {
  it.each([
    '@request.auth.id = 1',
    'a = @request.query.x',
    'a = 1 && (b = @collection.posts.id || c = 1)',
    'geoDistance(@collection.a.lon, 1, 2, 3) < 1',
    '@request.body.x:isset = true',
    '-@request.auth.name',
    'title,+@collection.posts.id',
    'a = = @request.auth.id',
    'a § b && @request.auth.id = 1',
    '@request.auth.id = "not closed',
  ])('GRD-1 is true for %j', (text) => {
    expect(hasSuperuserIdentifier(text)).toBe(true);
  });

  it.each([
    '',
    'a = 1',
    'a = "@request.auth.id"',
    "a = '@collection.posts.id'",
    'a = 1 // @request.auth.id',
    'a = @now',
    '@requests.auth.id = 1',
    '@request. = 1',
    'x@request = 1',
    '"not closed @request.auth.id',
  ])('GRD-1 is false for %j', (text) => {
    expect(hasSuperuserIdentifier(text)).toBe(false);
  });
});
