import { describe, expect, it } from 'vitest';
import { drawSkills, GAME_SKILLS, skillOfDesign } from './skills.ts';

const config = { experiment: 'x', seed: 1, skills: [...GAME_SKILLS], skillsPerWindow: 3 };

describe('drawSkills', () => {
  it('draws different skills, the same for the same window, in the order of the configuration', () => {
    const drawn = drawSkills(config, 5);
    expect(new Set(drawn).size).toBe(3);
    expect(drawSkills(config, 5)).toEqual(drawn);
    expect(GAME_SKILLS.filter((skill) => drawn.includes(skill))).toEqual(drawn);
  });

  it('comes to every skill over many windows', () => {
    const seen = new Set(Array.from({ length: 60 }, (_, window) => drawSkills(config, window + 1)).flat());
    expect(seen.size).toBe(GAME_SKILLS.length);
  });
});

describe('skillOfDesign', () => {
  it('gives each skill the same share within one', () => {
    const skills = Array.from({ length: 8 }, (_, index) => skillOfDesign(['a', 'b', 'c'], index));
    expect(skills).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b']);
  });
});
