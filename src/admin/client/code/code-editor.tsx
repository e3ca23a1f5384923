import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching } from '@codemirror/language';
import { linter, type Diagnostic } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderExtension, tooltips } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import classes from './code-editor.module.css';
import { editorTheme } from './editor-theme.js';
import { filterLanguage, filterLinter } from './filter-language.js';
import { jsonError } from './json-error.js';
import { sqlLanguage, type SqlSchema } from './sql-language.js';

export interface CodeEditorProps {
  readonly value: string;
  readonly onChange?: (value: string) => void;
  readonly language: 'filter' | 'sql' | 'json' | 'javascript' | 'html' | 'text';
  /** The name of the input for screen readers. */
  readonly label: string;
  readonly singleLine?: boolean;
  /** On Enter in a single line, on Ctrl/⌘+Enter in several. */
  readonly onSubmit?: (value: string) => void;
  readonly onFocus?: () => void;
  readonly placeholder?: string;
  readonly readOnly?: boolean;
  readonly invalid?: boolean;
  /** Without a frame of its own. */
  readonly bare?: boolean;
  readonly minHeight?: number;
  readonly maxHeight?: number;
  readonly lineNumbers?: boolean;
  /** Underline errors while typing. A search box does not: half a filter is not a mistake. */
  readonly lint?: boolean;
  readonly completion?: CompletionSource;
  readonly sqlSchema?: SqlSchema;
  readonly describedBy?: string;
  /** Whether the plain text box it replaces had the focus. */
  readonly takesFocus?: () => boolean;
}

const fromOutside = Annotation.define<boolean>();

function languageOf(props: CodeEditorProps): Extension {
  if (props.language === 'filter') return [filterLanguage(), props.lint ? linter(filterLinter, { delay: 350 }) : []];
  if (props.language === 'sql') return sqlLanguage(props.sqlSchema ?? {});
  if (props.language === 'json') {
    return [
      json(),
      linter(
        ({ state }): Diagnostic[] => {
          const error = jsonError(state.doc.toString());
          return error ? [{ ...error, severity: 'error' }] : [];
        },
        { delay: 350 },
      ),
    ];
  }
  return props.language === 'javascript' ? javascript() : [];
}

function attributesOf(props: CodeEditorProps): Extension {
  return EditorView.contentAttributes.of({
    'aria-label': props.label,
    'aria-multiline': props.singleLine ? 'false' : 'true',
    ...(props.invalid ? { 'aria-invalid': 'true' } : {}),
    ...(props.describedBy ? { 'aria-describedby': props.describedBy } : {}),
    // Esc leaves the editor or closes its completions; it does not close the panel around it.
    'data-mantine-stop-propagation': 'true',
    spellcheck: 'false',
    tabindex: '0',
  });
}

/** CodeMirror in our look. `value` is followed from outside; typing goes out through `onChange`. */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const compartments = useRef({
    language: new Compartment(),
    attributes: new Compartment(),
    readOnly: new Compartment(),
  });

  // Before the frame is drawn: a key pressed between the text box it replaces and the editor would be lost.
  useLayoutEffect(() => {
    const { language, attributes, readOnly } = compartments.current;
    const first = latest.current;
    const single: Extension = first.singleLine
      ? [
          EditorState.transactionFilter.of((transaction) =>
            transaction.newDoc.lines > 1
              ? [
                  transaction,
                  {
                    changes: {
                      from: 0,
                      to: transaction.newDoc.length,
                      insert: transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, ' '),
                    },
                    sequential: true,
                  },
                ]
              : transaction,
          ),
          keymap.of([
            {
              key: 'Enter',
              run: (editor) => {
                latest.current.onSubmit?.(editor.state.doc.toString());
                return true;
              },
            },
          ]),
        ]
      : [
          keymap.of([
            {
              key: 'Mod-Enter',
              run: (editor) => {
                if (!latest.current.onSubmit) return false;
                closeCompletion(editor);
                latest.current.onSubmit(editor.state.doc.toString());
                return true;
              },
            },
          ]),
          EditorView.lineWrapping,
          keymap.of([indentWithTab]),
          first.lineNumbers ? lineNumbers() : [],
        ];
    const editor = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: first.value,
        extensions: [
          history(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({
            activateOnTyping: true,
            icons: false,
            maxRenderedOptions: 60,
            ...(first.language === 'filter' || first.completion
              ? { override: [(context) => latest.current.completion?.(context) ?? null] }
              : {}),
          }),
          // Panels and dialogs cut off what hangs out of them.
          tooltips({ parent: document.body, position: 'fixed' }),
          keymap.of([...completionKeymap, ...closeBracketsKeymap]),
          single,
          keymap.of([...historyKeymap, ...defaultKeymap]),
          placeholderExtension(first.placeholder ?? ''),
          language.of(languageOf(first)),
          attributes.of(attributesOf(first)),
          readOnly.of([EditorState.readOnly.of(first.readOnly ?? false)]),
          editorTheme,
          EditorView.updateListener.of((update) => {
            if (update.focusChanged && update.view.hasFocus) latest.current.onFocus?.();
            if (update.docChanged && !update.transactions.some((each) => each.annotation(fromOutside))) {
              latest.current.onChange?.(update.state.doc.toString());
            }
          }),
        ],
      }),
    });
    view.current = editor;
    if (first.takesFocus?.()) {
      editor.focus();
      editor.dispatch({ selection: { anchor: editor.state.doc.length } });
    }
    return () => editor.destroy();
  }, []);

  // With the drawing as well: later it would take back what has been typed since.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === props.value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: props.value },
      selection: { anchor: Math.min(editor.state.selection.main.head, props.value.length) },
      annotations: fromOutside.of(true),
    });
  }, [props.value]);

  useEffect(() => {
    const { language, attributes, readOnly } = compartments.current;
    view.current?.dispatch({
      effects: [
        language.reconfigure(languageOf(latest.current)),
        attributes.reconfigure(attributesOf(latest.current)),
        readOnly.reconfigure([EditorState.readOnly.of(props.readOnly ?? false)]),
      ],
    });
    if (props.language !== 'html') return undefined;
    // Its code is as large as all the rest, and seldom wanted.
    let isCurrent = true;
    void import('./html-language.js').then(
      ({ htmlLanguage }) => {
        if (isCurrent) view.current?.dispatch({ effects: language.reconfigure(htmlLanguage()) });
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [
    props.language,
    props.sqlSchema,
    props.label,
    props.invalid,
    props.readOnly,
    props.describedBy,
    props.singleLine,
  ]);

  return (
    <div
      ref={host}
      className={classes.frame}
      data-invalid={props.invalid || undefined}
      data-single={props.singleLine || undefined}
      data-bare={props.bare || undefined}
      data-readonly={props.readOnly || undefined}
      style={props.singleLine ? undefined : { minHeight: props.minHeight ?? 80, maxHeight: props.maxHeight ?? 480 }}
    />
  );
}
