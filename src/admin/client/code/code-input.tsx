import { lazy, startTransition, Suspense, useRef, useState } from 'react';
import type { CodeEditorProps } from './code-editor.js';
import classes from './code-editor.module.css';

const load = async () => ({ default: (await import('./code-editor.js')).CodeEditor });
const CodeEditor = lazy(load);

interface CodeInputProps extends CodeEditorProps {
  /** Stays a plain text box until it is entered or has something to colour. */
  readonly onDemand?: boolean;
  /** Takes the focus as soon as it is there. */
  readonly autoFocus?: boolean;
}

/** A code editor whose code is fetched on first use; until then a plain text box with the same value. */
export function CodeInput({ onDemand, autoFocus = false, ...props }: CodeInputProps) {
  const [wanted, setWanted] = useState(!onDemand || props.value !== '');
  const entered = useRef(autoFocus);
  const common = {
    className: classes.plain,
    'aria-label': props.label,
    value: props.value,
    placeholder: props.placeholder,
    readOnly: props.readOnly,
    autoFocus,
    onFocus: () => {
      entered.current = true;
      // The box stays until the editor can take its place: what is typed meanwhile is not lost.
      void load().then(
        () => startTransition(() => setWanted(true)),
        () => undefined,
      );
      props.onFocus?.();
    },
    onBlur: () => {
      entered.current = false;
    },
  };
  const plain = (
    <div
      className={classes.frame}
      data-invalid={props.invalid || undefined}
      data-readonly={props.readOnly || undefined}
      data-single={props.singleLine || undefined}
      data-bare={props.bare || undefined}
      style={props.singleLine ? undefined : { minHeight: props.minHeight ?? 80, maxHeight: props.maxHeight ?? 480 }}
    >
      {props.singleLine ? (
        <input
          {...common}
          onChange={(event) => props.onChange?.(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') props.onSubmit?.(event.currentTarget.value);
          }}
        />
      ) : (
        <textarea
          {...common}
          onChange={(event) => props.onChange?.(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) props.onSubmit?.(event.currentTarget.value);
          }}
          // As high as the editor that takes its place.
          rows={props.value.split('\n').length}
        />
      )}
    </div>
  );
  // Around both: with a transition the box that has the focus stays until the editor is drawn.
  return (
    <Suspense fallback={plain}>
      {wanted ? <CodeEditor {...props} takesFocus={() => entered.current} /> : plain}
    </Suspense>
  );
}
