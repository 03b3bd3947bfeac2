import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../shared/contracts/index.ts';
import { hostFrom } from './host.ts';

const STORES = Object.fromEntries(
  ['ENVIRONMENTS', 'EPISODES', 'POLICIES', 'CORPORA'].map((name) => [
    `SPADE_${name}`,
    `file:///tmp/spade-host-test/${name}`,
  ]),
);

describe('hostFrom', () => {
  it('needs the variables of what is used, and no others', () => {
    const host = hostFrom(STORES);
    expect(host.stores.episodes.uri('a')).toBe('file:///tmp/spade-host-test/EPISODES/a');
    expect(() => host.policy).toThrow(InvalidInput);
    expect(() => host.policy).toThrow(/SPADE_POLICY/);
    expect(() => host.memory).toThrow(/SPADE_TABLE/);
    expect(() => host.validate).toThrow(/SPADE_VALIDATOR/);
  });

  it('makes each part once, and one table for memory and ledger', () => {
    const host = hostFrom({ ...STORES, SPADE_TABLE: 'dynamodb://127.0.0.1:1/table' });
    expect(host.stores).toBe(host.stores);
    expect(host.memory).toBe(host.memory);
    expect(host.ledger).toBe(host.ledger);
  });
});
