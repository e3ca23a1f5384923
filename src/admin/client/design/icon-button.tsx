import type { ComponentPropsWithRef } from 'react';
import classes from './icon-button.module.css';

interface IconButtonProps extends ComponentPropsWithRef<'button'> {
  readonly size: number;
  readonly 'aria-label': string;
}

/** A button with nothing but a picture, for where there are many: it costs a tenth of Mantine's (OPS-203). */
export function IconButton({ size, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${classes.button} ${className}`}
      style={{ width: size, height: size }}
    />
  );
}
