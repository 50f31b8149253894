import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './total.js';

test('adds up the lines of an order', () => {
  assert.equal(
    total([
      { quantity: 2, price: 150 },
      { quantity: 1, price: 99 },
    ]),
    399,
  );
});

test('an order without lines costs nothing', () => {
  assert.equal(total([]), 0);
});
