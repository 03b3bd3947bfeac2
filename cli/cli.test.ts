import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, viewFor } from '../dashboard/testing.ts';
import {
  environmentKeys,
  experimentKey,
  InvalidInput,
  type IterationRecord,
  iterationKeys,
  PolicyUnavailable,
} from '../shared/contracts/index.ts';
import { estimate } from '../shared/domain/cost/index.ts';
import { parseExperiment } from '../shared/domain/experiment-file.ts';
import { describeError } from './describe-error.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { experimentNames, openExperiment, readEnvironments, readRecords } from './experiment-data.ts';
import { iterationBlock, iterationTable } from './iteration-view.ts';
import { createProgram } from './program.ts';
import { printable, printableLines, textTable } from './text-table.ts';
import { environmentTable } from './verbs/envs.ts';
import { estimateText } from './verbs/estimate.ts';
import { environmentText } from './verbs/show.ts';
import { statusText } from './verbs/status.ts';
import { judgedJson, judgedLine, verdictCard } from './verdict-view.ts';

const folder = mkdtempSync(join(tmpdir(), 'spade-cli-'));
const config = parseExperiment('iterations: 5', 'demo.yaml');
const record = fixture<IterationRecord>('iteration-record');
const hash = 'a3'.repeat(32);

function put(store: string, key: string, content: unknown): void {
  const path = join(folder, 'demo', store, key);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

beforeAll(() => {
  put('episodes', experimentKey('demo'), config);
  put('episodes', iterationKeys('demo', 1).record, record);
  put('episodes', iterationKeys('demo', 1).scores, fixture('scores'));
  put('environments', environmentKeys('demo', hash).card, fixture('environment-card'));
  put('environments', environmentKeys('demo', hash).source, 'class TowerEnv: \u001b[31m\n');
  put('environments', environmentKeys('demo', hash).hint, 'Halve it.');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('help', () => {
  it('has examples for every verb, and each names the verb', () => {
    for (const verb of createProgram().commands) {
      let text = '';
      verb.configureOutput({
        writeOut: (out) => {
          text += out;
        },
      });
      verb.outputHelp();
      expect(text).toContain('Examples:');
      expect(text).toContain(`spade ${verb.name()}`);
    }
  });

  it('offers the verbs of the README', () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const named = [...readme.matchAll(/npx spade ([a-z-]+)/g)].map(([, verb]) => verb);
    const offered = createProgram().commands.map((verb) => verb.name());
    expect(named.length).toBeGreaterThan(3);
    expect(offered).toEqual(expect.arrayContaining(named));
  });
});

describe('describeError', () => {
  it('puts each problem on a line of its own', () => {
    expect(describeError(new InvalidInput('a.yaml', ['x: one', 'y: two']))).toBe('error: a.yaml\n  x: one\n  y: two');
  });

  it('names the server that is down and what to do', () => {
    const text = describeError(new PolicyUnavailable('http://h/v1', 'refused'));
    expect(text).toContain('http://h/v1');
    expect(text).toContain('run the same command');
    expect(text).not.toContain('at ');
  });

  it('reads the message out of what Step Functions hands over', () => {
    const failed = Object.assign(
      new Error('{"errorType":"PolicyUnavailable","errorMessage":"it is down","trace":["at x"]}'),
      { error: 'PolicyUnavailable' },
    );
    expect(describeError(failed)).toMatch(/^error: PolicyUnavailable\n {2}it is down\n/);
    expect(exitCodeOf(failed)).toBe(EXIT.unavailable);
  });

  it('shows the stack of a failure that nobody foresaw', () => {
    expect(describeError(new TypeError('oops'))).toContain('cli.test.ts');
    expect(exitCodeOf(new TypeError('oops'))).toBe(EXIT.negative);
  });
});

describe('an experiment folder', () => {
  it('is found by name, or as the one touched last', () => {
    expect(experimentNames(folder)).toEqual(['demo']);
    expect(openExperiment(folder).config).toEqual(config);
    expect(() => openExperiment(folder, 'nope')).toThrow('no experiment nope; it holds demo');
    expect(() => openExperiment(join(folder, 'void'))).toThrow('it holds no experiment');
  });

  it('gives records and environments with their statistics', () => {
    expect(readRecords(openExperiment(folder))).toEqual([record]);
    const [view] = readEnvironments(openExperiment(folder));
    expect(view?.statistics?.regret).toBe(0.25);
    expect(view?.hint).toBe('Halve it.');
  });

  it('has a status, also when its table cannot be read', async () => {
    writeFileSync(join(folder, 'demo', 'table'), 'not a folder');
    const text = await statusText(openExperiment(folder));
    expect(text).toContain('1 of 5 closed');
    expect(text).toContain('v1 is current');
    expect(text).toContain('runs now    no');
  });

  it('reports a broken record by its path', () => {
    put('episodes', iterationKeys('demo', 2).record, { iteration: 2 });
    expect(() => readRecords(openExperiment(folder))).toThrow('record.json');
    rmSync(join(folder, 'demo', 'episodes', iterationKeys('demo', 2).record));
  });
});

describe('tables', () => {
  it('align text left and numbers right', () => {
    const columns = [
      { heading: 'name', cell: (row: [string, string]) => row[0] },
      { heading: 'n', cell: (row: [string, string]) => row[1], align: 'right' as const },
    ];
    expect(
      textTable(columns, [
        ['a', '1'],
        ['bcdef', '100'],
      ]),
    ).toBe('name     n\na        1\nbcdef  100');
  });

  it('let no model move the cursor or hide text', () => {
    expect(printable('a\u001b[2Jb\u202Ec')).toBe('a�[2Jb�c');
    expect(printableLines('x\ty\n\u0007z')).toBe('x\ty\n�z');
    expect(environmentText({ ...viewFor('TowerEnv'), source: '\u001b[2J' })).not.toContain('\u001b');
  });

  it('show an iteration with its reasons', () => {
    const text = iterationBlock(record, config, { design: 3.5, rollout: 5.25, train: 3.08 }, 0.5);
    for (const part of [
      'iteration 1 of 5',
      'v0 → v1 (promoted)',
      '11.8 s',
      'design 3.5, rollout 5.3, train 3.1',
      '24 asked, 21 admitted, 1 duplicates; refused: 2 source.syntax',
      '500 played, 3 faults, 1 lost',
      '612 boxed, 9 plain',
      'v0 0.500 ± 0.031',
      '$0.5000',
    ])
      expect(text).toContain(part);
  });

  it('show an iteration that trained nothing', () => {
    const bare = { ...record, training: null, benchmark: [], designs: { ...record.designs, requested: 0 } };
    const text = iterationBlock(bare, config, {}, null);
    for (const part of ['none asked', 'nothing to train', 'not due', '– so far']) expect(text).toContain(part);
    expect(iterationTable([bare], config)).not.toMatch(/NaN|undefined|null/);
  });

  it('list environments and name those not played', () => {
    const text = environmentTable([viewFor('TowerEnv'), viewFor('NewEnv', null)], config);
    expect(text).toContain('0.250');
    expect(text).toContain('not played');
  });

  it('say why a program was refused', () => {
    const verdict = {
      ...viewFor('TowerEnv').card.verdict,
      accepted: false,
      reason: 'source.syntax' as const,
      detail: 'line 3',
    };
    const judged = { file: 'a.py', verdict, outcome: 'refused', timings: { static: 2.04 } } as const;
    expect(judgedLine(judged)).toMatch(/^REFUSED .*a\.py.*source\.syntax, line 3$/);
    expect(verdictCard(judged)).toMatch(/static\s+2 ms[\s\S]*isolation[\s\S]*run by/);
    expect(JSON.parse(judgedJson(judged))).toMatchObject({
      ...{ file: 'a.py', verdict: 'refused', reason: 'source.syntax', detail: 'line 3', ms: 2 },
    });
    const lost = { file: 'a.py', verdict: null, outcome: 'lost', problem: 'try again', timings: {} } as const;
    expect(judgedLine(lost)).toMatch(/^LOST .*try again$/);
    expect(JSON.parse(judgedJson(lost))).toMatchObject({ verdict: 'lost', reason: null, layers: [] });
  });

  it('show an estimate against the cap', () => {
    expect(estimateText(estimate(config), 5, 5)).toContain('within the cap of $5.00');
    expect(estimateText({ ...estimate(config), exceedsBudget: true }, 5, 0.1)).toContain('above the cap of $0.1000');
  });
});
