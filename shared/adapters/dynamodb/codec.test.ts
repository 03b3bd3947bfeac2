import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../contracts/index.ts';
import { decodeItem, encode, encodeItem } from './codec.ts';

describe('item codec', () => {
  it.each([0.1, 1 / 3, 1e-7, 1e125, -1.5, 0, 1e21, 4294967295, Number.MAX_SAFE_INTEGER, 5e-130])(
    'keeps the number %s exactly',
    (n) => {
      const attributes = encodeItem({ n });
      expect(attributes.n?.N?.replace(/[^0-9]/g, '').length).toBeLessThanOrEqual(38);
      expect(decodeItem(attributes)).toEqual({ n });
    },
  );

  it.each([
    [Number.NaN, 'finite'],
    [Number.POSITIVE_INFINITY, 'finite'],
    [-0, 'negative zero'],
    [1e130, 'range'],
    [1e-200, 'range'],
    [undefined, 'undefined'],
    [10n, 'bigint'],
    [new Date(0), 'JSON'],
    ['\ud800', 'Unicode'],
  ])('refuses %s and says where it stands', (value, reason) => {
    const broken = () => encodeItem({ statistics: { list: [1, value] } });
    expect(broken).toThrow(InvalidInput);
    expect(broken).toThrow(/statistics\.list\[1\]/);
    expect(broken).toThrow(reason);
  });

  it('keeps true apart from 1, null from empty, and nested values in order', () => {
    const item = { flag: true, one: 1, none: null, empty: '', list: [null, { a: [] }, 'x'], map: {} };
    expect(decodeItem(encodeItem(item))).toEqual(item);
    expect(encode(true)).toEqual({ BOOL: true });
  });

  it('round-trips every JSON value within range', () => {
    const number = fc
      .double({ noDefaultInfinity: true, noNaN: true, min: -9e125, max: 9e125 })
      .filter((n) => !Object.is(n, -0) && (n === 0 || Math.abs(n) >= 1e-130));
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        number,
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        expect(decodeItem(encodeItem({ value })).value).toStrictEqual(value);
      }),
    );
  });
});
