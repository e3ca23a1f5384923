import { lazy, Suspense } from 'react';
import type { CodeEditorProps } from './code-editor.js';
import classes from './code-editor.module.css';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.js')).CodeEditor }));

/** A code editor whose code is fetched on first use; until then a plain text box with the same value. */
export function CodeInput(props: CodeEditorProps) {
  const plain = props.singleLine ? (
    <input
      className={classes.plain}
      aria-label={props.label}
      value={props.value}
      placeholder={props.placeholder}
      readOnly={props.readOnly}
      onChange={(event) => props.onChange?.(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') props.onSubmit?.(event.currentTarget.value);
      }}
    />
  ) : (
    <textarea
      className={classes.plain}
      aria-label={props.label}
      value={props.value}
      placeholder={props.placeholder}
      readOnly={props.readOnly}
      onChange={(event) => props.onChange?.(event.currentTarget.value)}
      style={{ minHeight: props.minHeight ?? 80 }}
    />
  );
  return (
    <Suspense
      fallback={
        <div
          className={classes.frame}
          data-invalid={props.invalid || undefined}
          data-single={props.singleLine || undefined}
          data-bare={props.bare || undefined}
        >
          {plain}
        </div>
      }
    >
      <CodeEditor {...props} />
    </Suspense>
  );
}
