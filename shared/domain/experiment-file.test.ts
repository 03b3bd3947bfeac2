import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ExperimentConfig, PROFILE_NAMES } from '../contracts/index.ts';
import { parseExperiment } from './experiment-file.ts';
import { experimentWarnings, impossibleCombinations } from './experiment-rules.ts';
import { editDistance, nearest } from './nearest.ts';
import { profileOf } from './profiles.ts';

const problemsOf = (text: string): string => {
  try {
    parseExperiment(text, 'folder/mine.yaml');
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('profiles', () => {
  it.each(PROFILE_NAMES)('%s is a complete configuration that breaks no rule', (name) => {
    const config = ExperimentConfig.parse({ experiment: 'x', ...profileOf(name) });
    expect(impossibleCombinations(config)).toEqual([]);
    expect(experimentWarnings(config)).toEqual([]);
  });
});

describe('examples', () => {
  const folder = new URL('../../examples/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));

  it.each(files)('%s is valid', (name) => {
    expect(parseExperiment(readFileSync(new URL(name, folder), 'utf8'), name).iterations).toBeGreaterThan(0);
  });
});

describe('parseExperiment', () => {
  it('puts the file over its profile, at every depth', () => {
    const config = parseExperiment(
      'profile: qwen3-4b\nagent: {episodes: 8}\nskills: [Optimization]\nskillsPerWindow: 1',
      'mine.yaml',
    );
    expect(config.experiment).toBe('mine');
    expect(config.agent).toEqual({ ...profileOf('qwen3-4b').agent, episodes: 8 });
    expect(config.skills).toEqual(['Optimization']);
  });

  it.each([
    ['agent:\n  episods: 3', 'folder/mine.yaml: line 2, agent.episods: unknown key; did you mean agent.episodes?'],
    ['learningRate: 1', 'line 1, learningRate: unknown key here; did you mean training.learningRate?'],
    ['qqqqqqqqqq: 1', 'qqqqqqqqqq: unknown key; expected one of experiment, profile'],
    ['agent: {maxTurns: many}', 'agent.maxTurns: expected number, got "many"'],
    ['agent: {episodes: 1}', 'agent.episodes: expected number to be >=2, got 1'],
    ['agent: 3', 'agent: expected object, got 3'],
    ['designer: {reward: {variant: blnd}}', 'got "blnd"; did you mean blend?'],
    ['profile: tinny', 'expected one of tiny, qwen3-4b, qwen3-8b, qwen3-30b-a3b, got "tinny"; did you mean tiny?'],
    ['experiment: Has Blanks', 'experiment: lower-case letters, digits and dashes'],
    ['a: [1', 'not YAML'],
    ['- a', 'expected keys and values'],
    ['', 'expected keys and values'],
    ['__proto__: {x: 1}', '__proto__: unknown key'],
    ['constructor: 1', 'constructor: unknown key'],
    ['seed: .nan', 'seed: expected'],
    ['agent: {episodes: 2, episodes: 3}', 'not YAML'],
  ])('%j is refused with: %s', (text, message) => {
    expect(problemsOf(text)).toContain(message);
  });

  it.each([
    ['skillsPerWindow: 9', 'skillsPerWindow: draws 9 skills, but only 8 are listed'],
    ['skills: [a, a]\nskillsPerWindow: 1', 'skills: a skill is listed twice'],
    ['designer: {environments: 2}', 'designer.environments: fewer environments than the 8 skills'],
    ['memory: {frontier: [0.8, 0.2]}', 'memory.frontier: its lower end'],
    ['memory: {tooHard: 0.5}', 'memory.tooEasy: bands overlap'],
    ['memory: {enabled: false, counterExamples: 1}', 'memory.counterExamples: the memory is off'],
    ['designer: {reward: {plateauLow: 0.7}}', 'designer.reward.plateauLow: is above plateauHigh'],
    ['controller: {low: 0.9}', 'controller.low: is above controller.high'],
    ['training: {maxWaitSeconds: 60}', 'training.maxWaitSeconds: SageMaker wants it'],
    ['training: {optimizerState: warmup, warmupSteps: 0}', 'training.warmupSteps: optimizerState is warmup'],
    ['training: {agentWeight: 0, designerWeight: 0}', 'nothing is trained'],
    ['samplers: {agent: {temperature: 0}}', 'samplers.agent.temperature: greedy play'],
    ['samplers: {designer: {temperature: 0}}', 'samplers.designer.temperature: a trained designer must sample'],
    ['serving: {contextTokens: 300}', 'serving.contextTokens: leaves no room'],
    ['limits: {episodeMs: 500}', 'limits.episodeMs: is shorter than one step'],
    ['setting: tool-use', 'setting: the embedded policy knows no tools'],
  ])('%j cannot be: %s', (text, message) => {
    expect(problemsOf(text)).toContain(message);
  });

  it('reports all problems at once', () => {
    const message = problemsOf('agent: {episods: 3}\nseed: x\nbudget: {maxUsd: -1}');
    for (const field of ['agent.episods', 'seed', 'budget.maxUsd']) expect(message).toContain(field);
  });

  it('allows the ablations', () => {
    const switches =
      'memory: {enabled: false}\ngrounding: {enabled: false}\ndesigner: {train: false}\nsamplers: {designer: {temperature: 0}}';
    expect(problemsOf(switches)).toBe('');
  });
});

describe('experimentWarnings', () => {
  it('warns of truncated sampling, of lone designs, and of no evaluation', () => {
    const warn = (text: string) => experimentWarnings(parseExperiment(text, 'x.yaml')).join('\n');
    expect(warn('samplers: {agent: {topP: 0.95, topK: 20}}')).toContain('samplers.agent: top-p or top-k');
    expect(warn('designer: {environments: 8}')).toContain('nothing to be compared with');
    expect(warn('evaluation: {every: 0}')).toContain('no benchmark');
  });
});

describe('nearest', () => {
  it('counts edits', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
  });

  it('suggests only what is near', () => {
    expect(nearest('episods', ['episodes', 'maxTurns'])).toBe('episodes');
    expect(nearest('zebra', ['episodes', 'maxTurns'])).toBeNull();
    expect(nearest('x', [])).toBeNull();
  });
});
