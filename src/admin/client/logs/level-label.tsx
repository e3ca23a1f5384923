import classes from './logs.module.css';
import { levelName } from './log-model.js';

export function LevelLabel({ level }: { level: number }) {
  return (
    <span
      className={classes.level}
      data-kind={level >= 8 ? 'error' : level >= 4 ? 'warn' : level < 0 ? 'debug' : 'info'}
    >
      {levelName(level)}
    </span>
  );
}
