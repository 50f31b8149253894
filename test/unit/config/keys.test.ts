import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editDistance, nearest } from '../../../src/config/keys';

it.each<[string, string, number]>([
  ['', '', 0],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
  ['titel', 'title', 1],
])('the distance of %j and %j is %d', (a, b, distance) => expect(editDistance(a, b)).toBe(distance));

it('distance is symmetric, zero only for equals, and at most the longer length', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

it.each<[string, string | undefined]>([
  ['base_url', 'baseUrl'],
  ['BASEURL', 'baseUrl'],
  ['modle', 'model'],
  ['system-prompt', 'systemPrompt'],
  ['temperature', undefined],
  ['x', undefined],
])('the nearest to %j is %j', (name, expected) => {
  expect(nearest(name, ['provider', 'model', 'baseUrl', 'systemPrompt', 'yolo'])).toBe(expected);
});
